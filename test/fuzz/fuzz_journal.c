/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * journal_parse().
 */
#include <stdlib.h>

#include "submit/job/journal_read.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct journal journal;
    if (journal_parse(size == 0 ? "" : (const char *)data, size, &journal) != 0)
        return 0;
    for (size_t i = 0; i < journal.task_count; i++) {
        if (journal_find_task(&journal, journal.tasks[i].pid, journal.tasks[i].ticks) == NULL)
            abort();
    }
    for (size_t i = 0; i < journal.step_count; i++) {
        if (journal_find_step(&journal, journal.steps[i].step) == NULL)
            abort();
    }
    journal_free(&journal);
    return 0;
}
