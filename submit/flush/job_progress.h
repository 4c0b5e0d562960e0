/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How far earlier flushes have come with a job or a session, what they have cost, and which units
 * (reading.h) have ended their reader. Two files of root's keep it, beside what is flushed:
 *
 *   NAME        "UNIT RECORDS CPU ALL UNIT TIMES PASSED... 0 SUMS\n", decimal: the place (struct
 *               reading_place), milliseconds of processor time, how many readers were ended, the
 *               unit that ended the last one and how often it did, the units that are passed over,
 *               and what the records up to the place have reported (struct core_time_sums, in its
 *               order); empty: nothing is noted yet
 *   NAME.begun  the number of the unit that the reader is at, in memory shared with the reader: it
 *               is there after reader and flush were killed
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "submit/flush/reading_request.h"

/* In a job's spool directory. */
#define JOB_PROGRESS_NAME "flushed"

/* TRIES: a unit that ended its reader so often is passed over. PASSED_OVER: so many units of a job
 * are. FAILURES: so often may readers of a job be ended in all, since a reader that its user got
 * under control can name any unit. */
enum { JOB_PROGRESS_TRIES = 2, JOB_PROGRESS_PASSED_OVER = 8, JOB_PROGRESS_FAILURES = 18 };

struct job_progress {
    struct reading_place place;
    struct core_time_sums told; /* by the records up to the place */
    uint64_t used_ns;           /* processor time so far */
    uint64_t all_failures;
    uint64_t failed, failures; /* the unit that ended the last one, and how often it did */
    uint64_t passed_over[JOB_PROGRESS_PASSED_OVER]; /* units that are not begun again */
    size_t passed_over_count;
    bool is_hopeless; /* more than can be passed over */
    uint64_t *begun;  /* shared memory */
    int directory;    /* where it is noted; -1: nowhere */
    int notes;        /* the file, with its block; -errno: none */
    char name[64];
};

/* Reads what is noted in `directory` (-1: nothing is, and nothing will be), where no other flush is
 * at it. A flush that was ended in the middle of a unit counts against that. Returns 0 or -errno.
 * job_progress_close() releases. */
int job_progress_open(int directory, const char *name, struct job_progress *progress);

/* The unit that the child is at has ended it. */
void job_progress_failed(struct job_progress *progress);

/* The child has come to its end. */
void job_progress_ended(struct job_progress *progress);

/* Notes it, in room that job_progress_open() has taken; it is on the disk when this returns 0. Or
 * returns -errno. */
int job_progress_note(const struct job_progress *progress);

/* When it was noted for this job of the spool `spool`, in ns since the Epoch; 0: never. */
int64_t job_progress_time(int spool, const char *job);

void job_progress_remove(int directory, const char *name);

void job_progress_close(struct job_progress *progress);
