/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ending.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "process.h"

/* The process takes the time by the kernel's tick, 100 to 1000 a second. */
#define FINI_ERROR_NS UINT64_C(10000000)

static int by_process(const void *left, const void *right)
{
    const struct capture *a = *(const struct capture *const *)left;
    const struct capture *b = *(const struct capture *const *)right;
    if (a->pid != b->pid)
        return a->pid < b->pid ? -1 : 1;
    if (a->start_ticks != b->start_ticks)
        return a->start_ticks < b->start_ticks ? -1 : 1;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return a < b ? -1 : a > b;
}

/* Processes of different namespaces may share pid and start. A process that loses its ancestors
 * between two programs tells its namespace with the second only. */
static int same_namespace(struct capture_bytes a, struct capture_bytes b)
{
    return a.at == NULL || b.at == NULL || (a.size == b.size && memcmp(a.at, b.at, a.size) == 0);
}

static int same_process(const struct capture *a, const struct capture *b)
{
    return a->pid == b->pid && a->start_ticks == b->start_ticks &&
           same_namespace(a->name_space, b->name_space);
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* A process that left its session and its parent is not found by Slurm without cgroups. In a pid
 * namespace its pid says nothing here. */
static int lives(const struct capture *capture, const struct journal *journal)
{
    return journal->reboot_ns == 0 && capture->name_space.at == NULL &&
           process_alive(capture->pid, capture->start_ticks);
}

/* The end of a process that died without a word and that nobody waited for lies between its start
 * and the last moment at which it could have lived. */
static struct ending inferred(const struct capture *capture, const struct journal *journal,
                              uint64_t last_ns)
{
    const struct journal_step *step = journal_find_step(journal, capture->step);
    struct ending ending = {.end_ns = last_ns, .outlived = lives(capture, journal)};
    ending.source = journal->epilog_ns == 0 && journal->reboot_ns != 0 ? "reboot" : "epilog";
    if (ending.outlived)
        return ending;
    if (step != NULL && step->end_ns != 0) {
        ending.source = "step_end";
        ending.end_ns = step->end_ns;
    }
    if (ending.end_ns < capture->start_ns)
        ending.end_ns = capture->start_ns;
    uint64_t before = ending.end_ns - capture->start_ns;
    uint64_t behind = distance(ending.end_ns, last_ns);
    ending.error_ns = before > behind ? before : behind;
    return ending;
}

/* The ending of the last program that a process ran. */
static struct ending of_last(const struct capture *capture, const struct journal *journal,
                             uint64_t last_ns)
{
    const struct journal_task *task =
        journal_find_task(journal, capture->pid, capture->start_ticks);
    int waited = task != NULL && task->end_ns != 0;
    struct ending ending;
    if (capture->end_ns != 0)
        ending =
            (struct ending){.source = "fini", .end_ns = capture->end_ns, .error_ns = FINI_ERROR_NS};
    else if (waited)
        ending = (struct ending){
            .source = "task_exit", .end_ns = task->end_ns, .error_ns = task->error_ns};
    else
        ending = inferred(capture, journal, last_ns);
    ending.task = task;
    ending.status_known = waited || capture->signal != 0;
    ending.status = waited ? task->status : (int)capture->signal;
    return ending;
}

static struct ending of_replaced(const struct capture *capture, const struct capture *next)
{
    if (capture->end_ns != 0)
        return (struct ending){
            .source = "fini", .end_ns = capture->end_ns, .error_ns = FINI_ERROR_NS};
    return (struct ending){.source = "exec", .end_ns = next->start_ns};
}

int endings_find(const struct captures *captures, const struct journal *journal, uint64_t now_ns,
                 struct ending *endings)
{
    uint64_t last_ns = journal->epilog_ns != 0   ? journal->epilog_ns
                       : journal->reboot_ns != 0 ? journal->reboot_ns
                                                 : now_ns;
    const struct capture **order = calloc(captures->count + 1, sizeof(struct capture *));
    if (order == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < captures->count; i++)
        order[i] = &captures->capture[i];
    qsort(order, captures->count, sizeof(struct capture *), by_process);
    for (size_t i = 0; i < captures->count; i++) {
        const struct capture *capture = order[i];
        const struct capture *next = order[i + 1]; /* NULL behind the last */
        struct ending *ending = &endings[capture - captures->capture];
        if (next != NULL && same_process(capture, next)) {
            *ending = of_replaced(capture, next);
            ending->task = journal_find_task(journal, capture->pid, capture->start_ticks);
        } else {
            *ending = of_last(capture, journal, last_ns);
        }
        if (ending->end_ns < capture->start_ns)
            ending->end_ns = capture->start_ns;
    }
    free(order);
    return 0;
}
