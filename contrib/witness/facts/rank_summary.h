/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The ranks of parallel steps on this node, summarised: what the kernel reported to root about
 * their processes (contrib/witness/job/kernel_notes.h), a row for each step and program. Root's
 * journal says which processes are tasks of a step; nothing that users write about themselves is
 * used but the names of executables, as the kernel saw them.
 *
 * The program of a task is the last one of its process, if the rules track it. Where that is a
 * shell, a wrapper or left out by the rules, it is the oldest one below it that they track. What a
 * launcher's daemon has started has no number: each is a rank. So it is where a step has one task,
 * as batch steps have, and mpirun or the like runs below it: if that has started several, or others
 * on other nodes. The kernel reports no arguments: what rules decide by arguments counts as
 * tracked. Of a process that is older than its witness no program is known: it is a rank of the
 * program "".
 *
 * A number that is not known, or is a bound alone, is not part of least, mean and most.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "conf/conf.h"
#include "conf/policy/policy.h"
#include "contrib/witness/job/kernel_notes.h"
#include "submit/job/journal_read.h"
#include "submit/record/record.h"

/* RANK_ROWS_MAX: of a job on a node. RANK_ENDS_MAX: ways to end that are reported one by one. */
enum { RANK_ROWS_MAX = 4096, RANK_ENDS_MAX = 16 };

struct rank_spread {
    uint64_t least, most;
    double sum;
};

struct rank_end {
    int status; /* as wait(2) gives it */
    uint32_t ranks;
};

/* Of the ranks of a program in a step; of the program "", also how many tasks of the step the
 * kernel did not report. */
struct rank_row {
    const struct journal_step *step;
    const char *program; /* in the notes */
    uint32_t ranks, unseen;
    uint64_t start_ns; /* of the first one, since the Epoch; 0: unknown */
    uint64_t end_ns;   /* of the last one; where tasks were not seen, of the step or the job */
    uint32_t timed;    /* whose start and end are known */
    struct rank_spread elapsed_ns;
    uint32_t measured; /* whose times of processors and memory are known as a whole */
    struct rank_spread run_ns, peak_kib, major_faults;
    uint32_t
        largest; /* the task with the most memory; JOURNAL_NONE: unknown, or without a number */
    uint32_t faulting;                       /* the one with the most major faults, likewise */
    uint32_t zero, coded, signaled, unknown; /* ended with exit code 0, another one, by a signal */
    struct rank_end ends[RANK_ENDS_MAX];
    size_t end_count;
    uint64_t failed_ns;   /* when the first one ended with anything but exit code 0; 0: none did */
    uint32_t failed_task; /* as `largest` */
    int failed_status;
};

struct rank_summary {
    struct rank_row *rows; /* owned; by step, as the journal has them, and program */
    size_t count;
    size_t left_out; /* rows for which there was no room */
};

/* Of the steps with several tasks, or with launchers; nothing where no witness listened, or where
 * the rules leave out the job. `end_ns`: of the job. Returns 0 or -ENOMEM; rank_summary_free()
 * releases `*summary`. Journal and notes must outlive it. */
int rank_summary_make(const struct journal *journal, const struct kernel_notes *notes,
                      const struct policy_header *policy, uint64_t end_ns,
                      struct rank_summary *summary);

void rank_summary_free(struct rank_summary *summary);

struct ranks_source {
    const struct conf *conf;
    const struct journal *journal;
    const struct rank_row *row;
};

/* Builds the record of a row, ranks.SYSHOST.DATE.USER.UUID.json, whose keys are in
 * contrib/witness/ranks_keys.def. Root alone writes such records: no gate takes one from a user.
 * The same step, node and program give the same uuid: it may be built again after a flush that was
 * killed. Returns 0, -ENOMEM, or -EIO where there is no hash (uuid7.h). record_free() releases
 * `*record`. */
int ranks_record_build(const struct ranks_source *source, struct built_record *record);
