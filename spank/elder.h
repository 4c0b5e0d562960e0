/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A job stays with the version that it began under: where this plugin meets a job whose directory
 * is of other formats (job_formats.h), it loads the plugin that made the directory, the elder, and
 * hands Slurm's calls over to it. Which one that is the directory's version_note.h says; root must
 * be able to trust the file and all of its path. Where it cannot be loaded, this plugin makes a
 * directory of its own for what the job starts from then on.
 *
 * Of a job that was requeued there may be directories of several versions: the highest restart
 * counts.
 */
#pragma once

#include <slurm/spank.h>
#include <stdbool.h>
#include <stdint.h>

#include "spank/settings.h"

/* Each plugin exports it. It is called by a plugin with other formats that has loaded this one for
 * a job. Returns JOB_FORMATS; 0 where it does not work in this release of Slurm
 * (slurm_release.h). From then on this plugin does not compile the configuration, as that
 * may name the other one's library by now. */
__attribute__((visibility("default"))) uint32_t jobtrail_hand_over(void);

/* Whether that was called in this process. */
bool elder_is_one(void);

enum elder_call {
    ELDER_INIT,
    ELDER_INIT_POST_OPT,
    ELDER_TASK_INIT_PRIVILEGED,
    ELDER_TASK_INIT,
    ELDER_TASK_POST_FORK,
    ELDER_TASK_EXIT,
    ELDER_EXIT,
    ELDER_JOB_PROLOG,
    ELDER_JOB_EPILOG,
    ELDER_CALLS
};

/* In a step's daemon: looks for the elder of the job, and loads it for the rest of the process and
 * its children. */
void elder_find(const struct settings *settings, uint32_t job);

/* The same in a prolog, of this run alone: an earlier run of the job may have another elder. */
void elder_find_run(const struct settings *settings, uint32_t job, uint32_t restart);

/* In srun, which a job has started: the spool is that of its environment (JOBTRAIL_SPOOL). */
void elder_find_around(void);

/* Hands the call over where there is an elder. Returns whether there is one. */
bool elder_takes(enum elder_call call, spank_t spank);

/* Hands the epilog over to each version with a directory of the job, and marks that directory first
 * (SPOOL_OVER). Returns whether one could not be loaded: then the job is for `jobtrail-submit
 * flush --job`, which finds what is left of it. */
bool elder_epilogs(const struct settings *settings, uint32_t job, spank_t spank);

/* Writes into the spool that this plugin makes jobs' directories there (version_note.h). To be
 * called after one is made. A failure is a line in slurmd's log. */
void elder_note_spool(const struct settings *settings);

/* The restart count of the run whose elder could not be loaded; 0: there was none. */
uint32_t elder_lost_restart(void);
