/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * journal_parse().
 */
#include <stdbool.h>
#include <stdlib.h>

#include "spank/journal.h"
#include "submit/job/journal_read.h"
#include "test/fuzz/fuzz.h"

static bool is_sound_set(const struct core_set *set)
{
    uint32_t count = 0;
    for (size_t i = 0; i < set->word_count; i++)
        count += (uint32_t)__builtin_popcountll(set->words[i]);
    return set->word_count <= CORE_SET_MAX / 64 && count == set->count &&
           (set->words == NULL) == (count == 0);
}

static bool are_sound_pauses(const struct journal *journal)
{
    uint64_t before_ns = 0;
    for (size_t i = 0; i < journal->pause_count; i++) {
        const struct journal_pause *pause = &journal->pauses[i];
        if (pause->may_start_ns < before_ns || pause->start_ns < pause->may_start_ns ||
            pause->end_ns < pause->start_ns || pause->may_end_ns < pause->end_ns)
            return false;
        before_ns = pause->may_end_ns;
    }
    return journal->pause_count <= JOURNAL_PAUSES_MAX;
}

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
        if (journal_find_step(&journal, journal.steps[i].step) == NULL ||
            !is_sound_set(&journal.steps[i].cores))
            abort();
    }
    if (!is_sound_set(&journal.cores) || !are_sound_pauses(&journal) ||
        (journal.epilog_ns == 0 && journal.start_ns != 0) || journal.start_ns > journal.epilog_ns)
        abort();
    journal_free(&journal);
    return 0;
}
