/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which tasks of the journal have captures in the ledger, and of what: the program, or the runtime
 * of a container.
 */
#ifndef JOBTRAIL_COVERAGE_WITNESS_H
#define JOBTRAIL_COVERAGE_WITNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "submit/evidence/ledger_read.h"
#include "submit/job/journal_read.h"

/* Of the captures of a task, the last kind counts. */
enum coverage_witness_kind {
    WITNESS_NONE,    /* no capture, but for those of wrappers (wrapper.h) */
    WITNESS_RUNTIME, /* runtimes of containers alone */
    WITNESS_PROGRAM, /* another program */
};

struct coverage_witness {
    uint32_t step, task;
    enum coverage_witness_kind kind;
};

struct coverage_witnesses {
    struct coverage_witness *task; /* owned; sorted by step and task */
    size_t count;
};

/* One entry for each task of the journal, without captures. Returns 0 or -ENOMEM.
 * coverage_witnesses_free() releases. */
int coverage_witnesses_make(const struct journal *journal, struct coverage_witnesses *witnesses);

/* Notes a capture for the task that its process named. */
void coverage_witness(struct coverage_witnesses *witnesses, const struct capture *capture);

/* WITNESS_NONE where `witnesses` is NULL. */
enum coverage_witness_kind coverage_witness_kind(const struct coverage_witnesses *witnesses,
                                                 const struct journal_task *task);

void coverage_witnesses_free(struct coverage_witnesses *witnesses);

/* Whether the last part of the path, `size` bytes, is one of the names, which end with NULL. */
bool coverage_is_named(const char *path, size_t size, const char *const names[]);

/* Whether the path is that of a container's runtime. */
bool coverage_is_runtime(const char *path, size_t size);

/* Orders tasks by step and number, as qsort(3) asks. */
static inline int coverage_compare_tasks(uint32_t step_a, uint32_t task_a, uint32_t step_b,
                                         uint32_t task_b)
{
    if (step_a != step_b)
        return step_a < step_b ? -1 : 1;
    return task_a < task_b ? -1 : task_a > task_b;
}

#endif
