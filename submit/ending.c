/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ending.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "process.h"

/* The process takes the time by the kernel's tick, 100 to 1000 a second. */
#define FINI_ERROR_NS UINT64_C(10000000)

/* So many captures of one pid are looked at for the next of a process: in as many namespaces the
 * same pids occur. */
enum { SAME_PID_MAX = 1000 };

static int by_process(const void *left, const void *right)
{
    const struct capture *a = *(const struct capture *const *)left;
    const struct capture *b = *(const struct capture *const *)right;
    if (a->pid != b->pid)
        return a->pid < b->pid ? -1 : 1;
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

/* Whether the process of `a` ran `b` later, of the same pid and namespace. A first capture came
 * after the process's start, any other one tells the start itself. */
static int goes_on(const struct capture *a, const struct capture *b)
{
    if (b->first)
        return 0;
    return a->first ? b->start_ticks <= a->start_ticks : b->start_ticks == a->start_ticks;
}

/* The next program of the process that ran order[0]; NULL: none. `order` ends with NULL. */
static const struct capture *next_program(const struct capture *const *order)
{
    const struct capture *capture = order[0];
    for (size_t i = 1; i < SAME_PID_MAX && order[i] != NULL; i++) {
        if (order[i]->pid != capture->pid)
            return NULL;
        if (same_namespace(capture->name_space, order[i]->name_space))
            return goes_on(capture, order[i]) ? order[i] : NULL;
    }
    return NULL;
}

static const struct journal_task *task_of(const struct capture *capture,
                                          const struct journal *journal)
{
    return capture->first ? NULL : journal_find_task(journal, capture->pid, capture->start_ticks);
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* A process that left its session and its parent is not found by Slurm without cgroups. In a pid
 * namespace its pid says nothing here. */
static int lives(const struct capture *capture, const struct journal *journal)
{
    uint64_t start;
    if (journal->reboot_ns != 0 || capture->name_space.at != NULL ||
        !process_start(capture->pid, &start))
        return 0;
    return capture->first ? start <= capture->start_ticks : start == capture->start_ticks;
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
    const struct journal_task *task = task_of(capture, journal);
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
        const struct capture *next = next_program(order + i);
        struct ending *ending = &endings[capture - captures->capture];
        if (next != NULL) {
            *ending = of_replaced(capture, next);
            ending->task = task_of(capture, journal);
        } else {
            *ending = of_last(capture, journal, last_ns);
        }
        if (ending->end_ns < capture->start_ns)
            ending->end_ns = capture->start_ns;
    }
    free(order);
    return 0;
}
