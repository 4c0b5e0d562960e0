/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/witness/facts/other_pids.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "conf/base/cleanup.h"
#include "contrib/witness/facts/kernel_run.h"
#include "preload/ledger.h"
#include "submit/facts/program_name.h"

#define TICK_NS UINT64_C(10000000)

/* A program maps the library, and says when it began, so soon after its exec. */
#define LIBRARY_NS UINT64_C(10000000000)

/* As two_witnesses.c: reading two clocks, and for a process to end after its last word. */
#define NEAR_NS UINT64_C(11000000)
#define LATE_NS UINT64_C(1000000000)

/* The kernel reports a fork after the start that /proc shows; that is cut to a whole tick. */
enum { TICKS_EARLY = 1, TICKS_LATE = 3 };

/* A capture or stub, and its process. */
struct pid_pair {
    uint64_t offset;
    uint32_t stub;
    const struct kernel_noted *noted;
};

struct other_pids {
    const struct journal *journal;
    const struct kernel_notes *kernel;
    const struct kernel_noted **noted; /* owned: those without a capture, by exec */
    bool *is_taken;                    /* owned: of these, those that are in a pair */
    size_t count;
    struct pid_pair *pair; /* owned: as many have room as there are in `noted` */
    size_t pair_count;
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

int other_pids_new(const struct journal *journal, const struct kernel_notes *kernel,
                   const struct succession *succession, struct other_pids **made)
{
    struct other_pids *pids = calloc(1, sizeof *pids);
    CLEANUP_FREE void *memory = calloc(kernel->count + 1, sizeof(bool));
    bool *is_known = memory;
    if (pids != NULL) {
        pids->journal = journal;
        pids->kernel = kernel;
        pids->noted = calloc(kernel->count + 1, sizeof *pids->noted);
        pids->is_taken = calloc(kernel->count + 1, sizeof *pids->is_taken);
        pids->pair = calloc(kernel->count + 1, sizeof *pids->pair);
    }
    if (pids == NULL || is_known == NULL || pids->noted == NULL || pids->is_taken == NULL ||
        pids->pair == NULL) {
        other_pids_free(pids);
        return -ENOMEM;
    }
    /* Which processes have a capture with the pid that they have on the node. */
    for (size_t i = 0; i < succession->count; i++) {
        const struct succession_entry *entry = &succession->entry[i];
        if (!journal_knows_pids(journal, UINT32_MAX, entry->name_space))
            continue;
        const struct kernel_noted *noted =
            kernel_notes_find(kernel, entry->pid, entry->start_ticks, entry->first);
        if (noted != NULL)
            is_known[noted - kernel->noted] = true;
    }
    for (size_t i = 0; is_whole(kernel) && i < kernel->count; i++)
        if (!is_known[i])
            pids->noted[pids->count++] = &kernel->noted[i];
    qsort(pids->noted, pids->count, sizeof *pids->noted, compare_exec);
    *made = pids;
    return 0;
}

void other_pids_free(struct other_pids *pids)
{
    if (pids == NULL)
        return;
    free(pids->noted);
    free(pids->is_taken);
    free(pids->pair);
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
           (program_is_stand_in(name, strlen(name)) ||
            (capture->exec.size == strlen(name) &&
             memcmp(capture->exec.at, name, capture->exec.size) == 0));
}

/* Whether the process is of the task of which the capture is, as far as both are known. */
static bool is_same_task(const struct other_pids *pids, const struct kernel_noted *noted,
                         const struct capture *capture)
{
    if (capture->step == UINT32_MAX || capture->task == UINT32_MAX)
        return true;
    const struct journal_task *task = kernel_run_task_above(pids->journal, pids->kernel, noted);
    return task == NULL || (task->step == capture->step && task->task == capture->task);
}

/* Whether the process ended as the capture says. */
static bool is_same_end(const struct kernel_noted *noted, const struct capture *capture)
{
    const struct kernel_note *note = &noted->note;
    const bool is_signed = capture->end_ns != 0 && capture->end_by != LEDGER_END_REPLACED;
    if (capture->signal != 0 && (note->lack & KERNEL_LACK_STATUS) == 0 &&
        (!WIFSIGNALED(note->status) || (uint32_t)WTERMSIG(note->status) != capture->signal))
        return false;
    return !is_signed || (noted->end_real_ns + NEAR_NS >= capture->end_ns &&
                          noted->end_real_ns <= capture->end_ns + LATE_NS);
}

/* The place of the last process that fits and is in no pair; SIZE_MAX: none, or some of those that
 * fit ended otherwise. */
static size_t find_place(const struct other_pids *pids, const struct capture *capture,
                         bool wants_end)
{
    const uint64_t up_ns = capture->up_ns, from_ns = up_ns < LIBRARY_NS ? 0 : up_ns - LIBRARY_NS;
    size_t found = SIZE_MAX;
    for (size_t i = count_before(pids, from_ns);
         i < pids->count && pids->noted[i]->note.exec_ns <= up_ns; i++) {
        const struct kernel_noted *noted = pids->noted[i];
        if (pids->is_taken[i] || !fits(noted, capture) ||
            (wants_end && !is_same_end(noted, capture)) || !is_same_task(pids, noted, capture))
            continue;
        const struct kernel_note *other = found == SIZE_MAX ? NULL : &pids->noted[found]->note;
        if (other != NULL &&
            (other->status != noted->note.status || other->lack != noted->note.lack))
            return SIZE_MAX;
        found = i;
    }
    return found;
}

void other_pids_take(struct other_pids *pids, const struct capture *capture)
{
    if (capture->up_ns == 0 || capture->exec.at == NULL || capture->exec.cut ||
        capture->exec.size == 0 || capture->start_ticks > UINT64_MAX / TICK_NS - TICKS_LATE)
        return;
    size_t place = find_place(pids, capture, true);
    if (place == SIZE_MAX)
        place = find_place(pids, capture, false);
    if (place == SIZE_MAX)
        return;
    pids->is_taken[place] = true;
    pids->pair[pids->pair_count++] =
        (struct pid_pair){capture->offset, capture->stub, pids->noted[place]};
}

/* The youngest first: of several that executed a program one after another each takes the last exec
 * before it. */
static int compare_start(const void *left, const void *right)
{
    const struct succession_entry *const *a = left, *const *b = right;
    return (*a)->start_ns > (*b)->start_ns ? -1 : (*a)->start_ns < (*b)->start_ns;
}

static int compare_pairs(const void *left, const void *right)
{
    const struct pid_pair *a = left, *b = right;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    return a->stub < b->stub ? -1 : a->stub > b->stub;
}

/* Those that say how they ended, or those that do not. */
static int take_some(struct other_pids *pids, struct ledger_reader *reader,
                     const struct succession_entry *const *entry, size_t count, bool wants_end)
{
    for (size_t i = 0; i < count; i++) {
        struct capture capture;
        int found = succession_capture(reader, entry[i], &capture);
        if (found < 0 && found != -EINVAL)
            return found;
        if (found == 1 && (capture.end_ns != 0) == wants_end)
            other_pids_take(pids, &capture);
    }
    return 0;
}

int other_pids_pair(struct other_pids *pids, struct ledger_reader *reader,
                    const struct succession *succession)
{
    CLEANUP_FREE void *memory = calloc(succession->count + 1, sizeof(struct succession_entry *));
    const struct succession_entry **entry = memory;
    size_t count = 0;
    if (entry == NULL)
        return -ENOMEM;
    for (size_t i = 0; pids->count > 0 && i < succession->count; i++)
        if (!journal_knows_pids(pids->journal, UINT32_MAX, succession->entry[i].name_space))
            entry[count++] = &succession->entry[i];
    qsort(entry, count, sizeof *entry, compare_start);
    int error = take_some(pids, reader, entry, count, true);
    if (error == 0)
        error = take_some(pids, reader, entry, count, false);
    if (pids->pair_count > 0)
        qsort(pids->pair, pids->pair_count, sizeof *pids->pair, compare_pairs);
    return error;
}

const struct kernel_noted *other_pids_find(const struct other_pids *pids,
                                           const struct capture *capture)
{
    const struct pid_pair key = {.offset = capture->offset, .stub = capture->stub};
    const struct pid_pair *found =
        pids->pair_count == 0
            ? NULL
            : bsearch(&key, pids->pair, pids->pair_count, sizeof key, compare_pairs);
    return found == NULL ? NULL : found->noted;
}
