/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/other_pids.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TICK_NS UINT64_C(10000000)

/* A program maps the library, and says when it began, so soon after its exec. */
#define LIBRARY_NS UINT64_C(10000000000)

/* The kernel tells of a fork after the start that /proc shows; that is cut to a whole tick. */
enum { TICKS_EARLY = 1, TICKS_LATE = 3 };

struct other_pids {
    const struct kernel_noted **noted; /* owned: those without a capture, by exec */
    size_t count;
};

static int compare_exec(const void *left, const void *right)
{
    const struct kernel_noted *const *a = left, *const *b = right;
    const uint64_t first = (*a)->note.exec_ns, second = (*b)->note.exec_ns;
    return first < second ? -1 : first > second;
}

static bool is_whole(const struct kernel_notes *kernel)
{
    return kernel->lost == 0 && kernel->left == 0 && kernel->overruns == 0 &&
           kernel->bad_lines == 0 && kernel->gap_count == 0;
}

/* Which processes have a capture with the pid that they have on the node. */
static void mark_known(const struct journal *journal, const struct kernel_notes *kernel,
                       const struct succession *succession, bool *is_known)
{
    for (size_t i = 0; i < succession->count; i++) {
        const struct succession_entry *entry = &succession->entry[i];
        if (!journal_knows_pids(journal, UINT32_MAX, entry->name_space))
            continue;
        const struct kernel_noted *noted =
            kernel_notes_find(kernel, entry->pid, entry->start_ticks, entry->first);
        if (noted != NULL)
            is_known[noted - kernel->noted] = true;
    }
}

int other_pids_new(const struct journal *journal, const struct kernel_notes *kernel,
                   const struct succession *succession, struct other_pids **made)
{
    struct other_pids *pids = calloc(1, sizeof *pids);
    bool *is_known = calloc(kernel->count + 1, sizeof *is_known);
    if (pids != NULL)
        pids->noted = calloc(kernel->count + 1, sizeof *pids->noted);
    if (pids == NULL || is_known == NULL || pids->noted == NULL) {
        free(is_known);
        other_pids_free(pids);
        return -ENOMEM;
    }
    mark_known(journal, kernel, succession, is_known);
    for (size_t i = 0; is_whole(kernel) && i < kernel->count; i++)
        if (!is_known[i])
            pids->noted[pids->count++] = &kernel->noted[i];
    free(is_known);
    qsort(pids->noted, pids->count, sizeof *pids->noted, compare_exec);
    *made = pids;
    return 0;
}

void other_pids_free(struct other_pids *pids)
{
    if (pids == NULL)
        return;
    free(pids->noted);
    free(pids);
}

/* How many executed their last program before. */
static size_t count_before(const struct other_pids *pids, uint64_t exec_ns)
{
    size_t low = 0, high = pids->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool is_before = pids->noted[middle]->note.exec_ns < exec_ns;
        low = is_before ? middle + 1 : low;
        high = is_before ? high : middle;
    }
    return low;
}

/* A first capture has the start of its run. */
static bool is_same_start(const struct kernel_note *note, const struct capture *capture)
{
    const uint64_t ticks = note->start_ns / TICK_NS;
    return capture->first || (ticks + TICKS_EARLY >= capture->start_ticks &&
                              ticks < capture->start_ticks + TICKS_LATE);
}

static bool fits(const struct kernel_noted *noted, const struct capture *capture)
{
    const struct kernel_note *note = &noted->note;
    const char *name = noted->program == NULL ? "" : noted->program->name;
    return note->exec_ns != 0 && capture->up_ns <= note->end_ns && is_same_start(note, capture) &&
           capture->exec.size == strlen(name) &&
           memcmp(capture->exec.at, name, capture->exec.size) == 0;
}

const struct kernel_noted *other_pids_find(const struct other_pids *pids,
                                           const struct capture *capture)
{
    const struct kernel_noted *found = NULL;
    if (capture->up_ns == 0 || capture->exec.at == NULL || capture->exec.cut ||
        capture->exec.size == 0 || capture->start_ticks > UINT64_MAX / TICK_NS - TICKS_LATE)
        return NULL;
    const uint64_t up_ns = capture->up_ns, from_ns = up_ns < LIBRARY_NS ? 0 : up_ns - LIBRARY_NS;
    for (size_t i = count_before(pids, from_ns);
         i < pids->count && pids->noted[i]->note.exec_ns <= up_ns; i++) {
        if (!fits(pids->noted[i], capture))
            continue;
        if (found != NULL)
            return NULL;
        found = pids->noted[i];
    }
    return found;
}
