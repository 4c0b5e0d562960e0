/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the record of a run is made of.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "conf/conf.h"
#include "submit/evidence/ledger_read.h"
#include "submit/evidence/package_read.h"
#include "submit/facts/ending.h"
#include "submit/facts/job_tasks.h"
#include "submit/job/journal_read.h"
#include "submit/record/command_line.h"
#include "submit/record/json_memo.h"
#include "submit/record/json_write.h"

/* Whose word a run's capture is. */
enum run_captured_by {
    CAPTURED_BY_LIBRARY, /* its process left it */
    CAPTURED_BY_JOURNAL, /* it is made of what root knows of a task */
    CAPTURED_BY_KERNEL,  /* of what the kernel told of a process */
};

struct run_source {
    const struct conf *conf;
    const struct command_lines *lines;
    const struct job_identity *identity;
    const struct journal *journal; /* NULL: of no Slurm job */
    const struct capture *capture;
    const struct ending *ending;        /* NULL: a start record */
    const struct package_run *packages; /* what hooks told; NULL: nobody has asked */
    uint64_t dropped;                   /* captures that the job lost on this node */
    double probability;                 /* with which the run was kept, (0, 1] */
    enum run_captured_by captured_by;
    bool is_elsewhere; /* the file at the program's path is not known to be what ran: not hashed */
    const char *missing_library; /* for which the loader did not start it; NULL: none, or unknown */
    const struct allocation_run *had; /* of the allocation; NULL: not known, as of a session */
    uint64_t run_ns;                  /* how long it ran; 0: from its start to its end */
    const double *clock_step; /* s by which the clock was set during the run; NULL: not known */
    struct json_memo
        *memo; /* of records with these conf, lines, identity and journal; NULL: none */
};

/* How many objects that the process had loaded its libA does not have, or CAPTURE_UNKNOWN. */
uint32_t run_unlisted(const struct capture *capture);

/* slurmT of a run's record: what root knows of the run, and when it may have ended. */

/* Writes the table with the keys that submit/definition/keys.def lists. Runs for which all but
 * times, pid and core seconds are the same share the text of these in `source->memo`. */
void slurm_table_write(const struct run_source *source, struct json_writer *writer);
