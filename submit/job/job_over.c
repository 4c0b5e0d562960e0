/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/job/job_over.h"

#include <stdbool.h>

#include "conf/base/process.h"
#include "spank/journal.h"

bool job_is_alive(const struct journal *journal)
{
    for (size_t i = 0; i < journal->step_count; i++) {
        const struct journal_step *step = &journal->steps[i];
        if (step->end_ns == 0 && process_alive(step->pid, step->ticks))
            return true;
    }
    for (size_t i = 0; i < journal->task_count; i++) {
        const struct journal_task *task = &journal->tasks[i];
        if (task->end_ns == 0 && process_alive(task->pid, task->ticks))
            return true;
    }
    return false;
}

void job_over_find(struct journal *journal)
{
    if (journal->prolog_ns == 0 && journal->epilog_ns == 0 && journal->reboot_ns == 0 &&
        journal_find_step(journal, JOURNAL_STEP_EXTERN) != NULL && !job_is_alive(journal))
        journal->epilog_ns = journal->last_ns;
}
