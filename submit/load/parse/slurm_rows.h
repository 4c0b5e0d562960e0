/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Jobs as sacct(1) writes them: --allocations --parsable --format=SLURM_ROWS_FORMAT, with its
 * heading, and with SLURM_TIME_FORMAT=%s. The delimiter may be any text: it is taken from the
 * heading. A random one cannot stand in what users choose, such as an account.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "submit/load/parse/load_reason.h"
#include "submit/load/parse/load_record.h"

#define SLURM_ROWS_FORMAT                                                                          \
    "JobIDRaw,JobID,Cluster,User,Account,Partition,State,Submit,Start,End,AllocCPUS,AllocNodes,"   \
    "CPUTimeRAW,Suspended"

enum { SLURM_DELIMITER_MAX = 64, SLURM_ROW_MAX = 65536 }; /* bytes */

/* One allocation of Slurm's. A job that was requeued has several, and so has one whose size was
 * changed. Texts are UTF-8, of RECORD_NAME_MAX_BYTES at the most. */
struct slurm_job {
    char *text; /* owned: what the texts are in */
    const char *cluster, *user, *account, *partition;
    const char *state; /* its first word: COMPLETED, CANCELLED, REQUEUED ... */
    int64_t job_id_raw;
    struct record_int array_job_id, array_task_id, het_job_id, het_offset;
    int64_t submit_time;         /* s since the Epoch: no two allocations of a job have the same */
    double start_time;           /* no earlier than its submission; 0: Slurm has lost it */
    struct record_real end_time; /* not known: it goes on */
    int64_t alloc_cpus, nodes;
    double core_seconds; /* CPUTimeRAW from start_time on: until now where it goes on */
    double suspended;    /* s */
};

struct slurm_rows {
    /* What is done with each job, which owns its text. Returns 0 or -errno. */
    int (*take)(void *context, struct slurm_job *job);
    void *context;
    size_t pending;                          /* jobs that have not begun, which are passed over */
    size_t damaged;                          /* rows that say no job */
    char delimiter[SLURM_DELIMITER_MAX + 1]; /* "": the heading has not been read */
    char *text;                              /* owned: what is not read yet */
    size_t size, room;
};

/* Reads the next bytes. Returns 0; -EBADMSG and `*reason` where they are no output of sacct's; what
 * `take` returned; or -ENOMEM. */
int slurm_rows_read(struct slurm_rows *rows, const char *bytes, size_t size,
                    struct load_reason *reason);

/* After the last byte: -EBADMSG and `*reason` where there was no heading, or a row is cut short. */
int slurm_rows_end(const struct slurm_rows *rows, struct load_reason *reason);

void slurm_rows_free(struct slurm_rows *rows);

void slurm_job_free(struct slurm_job *job);
