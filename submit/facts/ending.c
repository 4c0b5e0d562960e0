/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/ending.h"

#include <stdbool.h>

#include "conf/base/process.h"

/* The process takes the time by the kernel's tick, 100 to 1000 a second. */
#define FINI_ERROR_NS UINT64_C(10000000)

static const struct journal_task *task_of(const struct capture *capture,
                                          const struct journal *journal)
{
    return capture->first || journal == NULL
               ? NULL
               : journal_find_task(journal, capture->pid, capture->start_ticks);
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* Whether the process still runs: without cgroups, Slurm does not find one that has left its
 * session and its parent. The pid of a process in a pid namespace of its own is not known here. */
static bool is_alive(const struct capture *capture, const struct journal *journal)
{
    uint64_t start;
    bool has_rebooted = journal != NULL && journal->reboot_ns != 0;
    if (has_rebooted || capture->name_space != 0 || !process_start(capture->pid, &start))
        return false;
    return capture->first ? start <= capture->start_ticks : start == capture->start_ticks;
}

/* The end of a process that wrote no end, and that Slurm did not wait for, lies between its start
 * and `last_ns`, the last moment at which it can have lived. */
static struct ending end_after_silence(const struct capture *capture, const struct journal *journal,
                                       uint64_t last_ns)
{
    const struct journal_step *step =
        journal == NULL ? NULL : journal_find_step(journal, capture->step);
    struct ending ending = {.end_ns = last_ns, .outlived = is_alive(capture, journal)};
    ending.source = journal == NULL                                      ? "session"
                    : journal->epilog_ns == 0 && journal->reboot_ns != 0 ? "reboot"
                                                                         : "epilog";
    if (ending.outlived)
        return ending;
    if (step != NULL && step->end_ns != 0) {
        ending.source = "step_end";
        ending.end_ns = step->end_ns;
    }
    if (ending.end_ns < capture->start_ns)
        ending.end_ns = capture->start_ns;
    uint64_t before = ending.end_ns - capture->start_ns;
    uint64_t after = distance(ending.end_ns, last_ns);
    ending.error_ns = before > after ? before : after;
    return ending;
}

/* The ending of the last program that a process ran. */
static struct ending end_of_last(const struct capture *capture, const struct journal *journal,
                                 uint64_t last_ns)
{
    const struct journal_task *task = task_of(capture, journal);
    bool was_waited_for = task != NULL && task->end_ns != 0;
    struct ending ending;
    if (capture->end_ns != 0)
        ending =
            (struct ending){.source = "fini", .end_ns = capture->end_ns, .error_ns = FINI_ERROR_NS};
    else if (was_waited_for)
        ending = (struct ending){
            .source = "task_exit", .end_ns = task->end_ns, .error_ns = task->error_ns};
    else
        ending = end_after_silence(capture, journal, last_ns);
    ending.task = task;
    ending.status_known = was_waited_for || capture->signal != 0;
    ending.status = was_waited_for ? task->status : (int)capture->signal;
    return ending;
}

static struct ending end_of_replaced(const struct capture *capture, const struct journal *journal,
                                     uint64_t next_ns)
{
    struct ending ending = {.source = "exec", .end_ns = next_ns};
    if (capture->end_ns != 0)
        ending =
            (struct ending){.source = "fini", .end_ns = capture->end_ns, .error_ns = FINI_ERROR_NS};
    ending.task = task_of(capture, journal);
    return ending;
}

struct ending ending_find(const struct capture *capture, uint64_t next_ns,
                          const struct journal *journal, uint64_t now_ns)
{
    uint64_t last_ns = journal == NULL           ? now_ns
                       : journal->epilog_ns != 0 ? journal->epilog_ns
                       : journal->reboot_ns != 0 ? journal->reboot_ns
                                                 : now_ns;
    struct ending ending = next_ns != 0 ? end_of_replaced(capture, journal, next_ns)
                                        : end_of_last(capture, journal, last_ns);
    if (ending.end_ns < capture->start_ns)
        ending.end_ns = capture->start_ns;
    ending.min_ns = ending.end_ns - capture->start_ns > ending.error_ns
                        ? ending.end_ns - ending.error_ns
                        : capture->start_ns;
    ending.max_ns = ending.end_ns + ending.error_ns;
    return ending;
}
