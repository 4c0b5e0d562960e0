/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/ending.h"

#include <stdbool.h>

#include "conf/base/process.h"
#include "preload/ledger.h"

/* The process takes the time by the kernel's tick, 100 to 1000 a second. */
#define FINI_ERROR_NS UINT64_C(10000000)

static const struct journal_task *task_of(const struct capture *capture,
                                          const struct journal *journal)
{
    return capture->first || journal == NULL
               ? NULL
               : journal_find_task(journal, capture->pid, capture->start_ticks);
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

static uint64_t later_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t smaller_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The process takes the time by the kernel's tick: the true time is that or later. */
static struct ending end_by_signing(const struct capture *capture)
{
    return (struct ending){.source = "fini",
                           .end_ns = capture->end_ns,
                           .min_ns = capture->end_ns,
                           .max_ns = capture->end_ns + FINI_ERROR_NS};
}

/* The end of a process that wrote no end, and that Slurm did not wait for, lies between its start
 * and `last_ns`, the last moment at which it can have lived. What has left its session and its
 * parent may have outlived its step. */
static struct ending end_after_silence(const struct capture *capture, const struct journal *journal,
                                       uint64_t last_ns)
{
    const struct journal_step *step =
        journal == NULL ? NULL : journal_find_step(journal, capture->step);
    bool is_outlived = is_alive(capture, journal);
    struct ending ending = {.end_ns = capture->start_ns, .outlived = is_outlived};
    ending.source = journal == NULL                                      ? "session"
                    : journal->epilog_ns == 0 && journal->reboot_ns != 0 ? "reboot"
                                                                         : "epilog";
    if (is_outlived)
        ending.end_ns = last_ns;
    else if (step != NULL && step->end_ns != 0)
        ending.source = "step_end";
    ending.min_ns = ending.end_ns;
    ending.max_ns = last_ns;
    if (step != NULL && !is_outlived)
        ending.max_ns = later_of(last_ns, step->end_ns);
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
        ending = end_by_signing(capture);
    else if (was_waited_for)
        ending = (struct ending){.source = "task_exit",
                                 .end_ns = task->end_ns,
                                 .min_ns = task->end_ns - smaller_of(task->end_ns, task->error_ns),
                                 .max_ns = task->end_ns};
    else
        ending = end_after_silence(capture, journal, last_ns);
    ending.task = task;
    ending.status_known = was_waited_for || capture->signal != 0;
    ending.status = was_waited_for ? task->status : (int)capture->signal;
    return ending;
}

/* Loading the next program takes a while, and a program that cannot be captured may have run in
 * between. So the end may have been at any time before. */
static struct ending end_of_replaced(const struct capture *capture, const struct journal *journal,
                                     uint64_t next_ns)
{
    struct ending ending = {.source = "exec", .end_ns = next_ns, .max_ns = next_ns};
    if (capture->end_ns != 0 && capture->end_by == LEDGER_END_OWN)
        ending = end_by_signing(capture);
    else if (capture->end_ns != 0)
        ending = (struct ending){
            .source = "exec", .end_ns = capture->end_ns, .max_ns = capture->end_ns + FINI_ERROR_NS};
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
    bool is_replaced =
        next_ns != 0 || (capture->end_ns != 0 && capture->end_by == LEDGER_END_REPLACED);
    struct ending ending = is_replaced ? end_of_replaced(capture, journal, next_ns)
                                       : end_of_last(capture, journal, last_ns);
    /* a clock may have been set back */
    ending.end_ns = later_of(ending.end_ns, capture->start_ns);
    ending.min_ns = later_of(ending.min_ns, capture->start_ns);
    ending.max_ns = later_of(ending.max_ns, ending.end_ns);
    ending.error_ns = later_of(ending.end_ns - ending.min_ns, ending.max_ns - ending.end_ns);
    return ending;
}
