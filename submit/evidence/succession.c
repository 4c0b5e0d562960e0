/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/evidence/succession.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "conf/base/grow.h"
#include "preload/ledger.h"

/* So many captures of one pid are searched for the next one of a process: the same pid may occur in
 * as many namespaces. */
enum { SAME_PID_MAX = 1000 };

int succession_add(struct succession *succession, const struct capture *capture)
{
    if (GROW(succession->entry, succession->count) != 0)
        return -ENOMEM;
    succession->entry[succession->count++] = (struct succession_entry){
        .start_ns = capture->start_ns,
        .start_ticks = capture->start_ticks,
        .name_space = capture->name_space,
        .pid = capture->pid,
        .page = (uint32_t)(capture->offset / LEDGER_PAGE) & INT32_MAX,
        .first = capture->first != 0,
        .stub = capture->stub,
    };
    return 0;
}

static int by_process(const void *left, const void *right)
{
    const struct succession_entry *a = *(struct succession_entry *const *)left;
    const struct succession_entry *b = *(struct succession_entry *const *)right;
    if (a->pid != b->pid)
        return a->pid < b->pid ? -1 : 1;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return a < b ? -1 : a > b;
}

/* Whether the process of `a` ran `b` later; both have the same pid and namespace. A first capture
 * has the start of its run, which is after that of the process; any other one has that of the
 * process. */
static bool is_continued_by(const struct succession_entry *a, const struct succession_entry *b)
{
    if (b->first)
        return false;
    return a->first ? b->start_ticks <= a->start_ticks : b->start_ticks == a->start_ticks;
}

/* The start of the next program of the process that ran order[0]; 0: there is none. `order` ends
 * with NULL. */
static uint64_t next_start(struct succession_entry *const *order)
{
    const struct succession_entry *entry = order[0];
    for (size_t i = 1; i < SAME_PID_MAX && order[i] != NULL; i++) {
        if (order[i]->pid != entry->pid)
            return 0;
        /* Processes of different namespaces may share pid and start. A capture has its namespace
         * only where the task is not among the ancestors of its process (preload/ledger.h): of two
         * captures of one process, the second may have it alone. */
        uint64_t a = entry->name_space, b = order[i]->name_space;
        if (a == 0 || b == 0 || a == b)
            return is_continued_by(entry, order[i]) ? order[i]->start_ns : 0;
    }
    return 0;
}

int succession_find(struct succession *succession)
{
    struct succession_entry **order = calloc(succession->count + 1, sizeof *order);
    if (order == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < succession->count; i++)
        order[i] = &succession->entry[i];
    qsort(order, succession->count, sizeof *order, by_process);
    for (size_t i = 0; i < succession->count; i++)
        order[i]->next_ns = next_start(order + i);
    free(order);
    return 0;
}

int succession_read(struct ledger_reader *reader, struct succession *succession)
{
    struct capture capture;
    int found;
    while ((found = ledger_next(reader, &capture)) == 1) {
        int added = succession_add(succession, &capture);
        if (added != 0)
            return added;
    }
    return found == 0 ? succession_find(succession) : found;
}

int succession_capture(struct ledger_reader *reader, const struct succession_entry *entry,
                       struct capture *capture)
{
    uint64_t offset = (uint64_t)entry->page * LEDGER_PAGE;
    int found = entry->stub == 0 ? ledger_at(reader, offset, capture)
                                 : ledger_stub_at(reader, offset, entry->stub, capture);
    if (found != 1)
        return found;
    return capture->pid == entry->pid && capture->start_ns == entry->start_ns;
}

void succession_free(struct succession *succession)
{
    free(succession->entry);
    *succession = (struct succession){NULL, 0};
}
