/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Jobs of Slurm's accounting into the store. jobtrail-slurm-rows asks sacct for them, or reads a
 * file of its rows (contrib/jobtrail/slurm_jobs.py), and they come one by one.
 */
#pragma once

#include <signal.h>
#include <stdint.h>

#include "conf/base/progress.h"
#include "submit/load/store/store.h"

struct slurm_load {
    struct store *store;
    uint32_t days; /* how far back; 0: a day before the last time, 30 days the first time */
    struct progress progress; /* `is_shown` is the caller's */
    const volatile sig_atomic_t *stop;

    struct slurm_counts counts;
    size_t damaged; /* rows that say no job */
};

enum slurm_result { /* the worst last */
                    SLURM_LOADED,
                    SLURM_NO_ANSWER, /* sacct or the file gave none; what came before is in the
                                        store */
                    SLURM_STOPPED,
                    SLURM_STORE_FAILED,
};

/* Asks sacct for the jobs of the clusters that the store knows, of each whatever became of the one
 * before. Says on stderr what is wrong, except for the store's trouble. */
enum slurm_result load_slurm(struct slurm_load *load);

/* Reads the file of sacct's rows, "-" for standard input. */
enum slurm_result load_slurm_rows(struct slurm_load *load, const char *path);
