/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/ending.h"

#include <stdbool.h>
#include <sys/wait.h>

#include "conf/base/process.h"
#include "preload/ledger.h"
#include "submit/facts/wrapper.h"

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

/* The last time at which the watcher saw the run; 0: never. */
static uint64_t seen_alive(const struct ending_evidence *evidence)
{
    return evidence->look == NULL ? 0 : evidence->look->alive_ns;
}

/* The last time at which the run is known to have lived: it began, wrote its end, or was seen. */
static uint64_t known_alive(const struct capture *capture, const struct ending_evidence *evidence)
{
    return later_of(later_of(capture->start_ns, capture->end_ns), seen_alive(evidence));
}

static bool was_seen_replaced(const struct ending_evidence *evidence)
{
    return evidence->look != NULL && (evidence->look->flags & LOOK_OTHER) != 0;
}

/* The last moment at which a process of the job can have lived. */
static uint64_t last_moment(const struct ending_evidence *evidence)
{
    const struct journal *journal = evidence->journal;
    return journal == NULL           ? evidence->now_ns
           : journal->epilog_ns != 0 ? journal->epilog_ns
           : journal->reboot_ns != 0 ? journal->reboot_ns
                                     : evidence->now_ns;
}

/* The process takes the time by the kernel's tick: the true time is that or later. */
static struct ending end_by_signing(const struct capture *capture)
{
    return (struct ending){.source = "fini",
                           .end_ns = capture->end_ns,
                           .min_ns = capture->end_ns,
                           .max_ns = capture->end_ns + FINI_ERROR_NS};
}

/* The end of a process that wrote no end, and that Slurm did not wait for, lies between the last
 * moment at which it was seen, or its start, and the last one at which it can have lived. What has
 * left its session and its parent may have outlived its step. */
static struct ending end_after_silence(const struct capture *capture,
                                       const struct ending_evidence *evidence)
{
    const struct journal *journal = evidence->journal;
    const struct journal_step *step =
        journal == NULL ? NULL : journal_find_step(journal, capture->step);
    bool is_outlived = is_alive(capture, journal);
    uint64_t last_ns = last_moment(evidence);
    struct ending ending = {.outlived = is_outlived};
    ending.source = journal == NULL                                      ? "session"
                    : journal->epilog_ns == 0 && journal->reboot_ns != 0 ? "reboot"
                    : is_outlived || step == NULL || step->end_ns == 0   ? "epilog"
                                                                         : "step_end";
    ending.end_ns = is_outlived ? last_ns : known_alive(capture, evidence);
    ending.min_ns = ending.end_ns;
    ending.max_ns = last_ns;
    if (step != NULL && !is_outlived)
        ending.max_ns = later_of(last_ns, step->end_ns);
    if (evidence->look != NULL && evidence->look->gone_ns != 0 && !is_outlived)
        ending.max_ns = smaller_of(ending.max_ns, evidence->look->gone_ns);
    return ending;
}

/* The end of a task that Slurm waited for, as slurmstepd saw it. */
static struct ending end_of_task(const struct capture *capture, const struct journal_task *task,
                                 const struct ending_evidence *evidence)
{
    bool is_certain = evidence->is_replaceable == NULL || !evidence->is_replaceable(capture);
    uint64_t alive_ns = known_alive(capture, evidence);
    struct ending ending = {.source = is_certain ? "task_exit" : "task_end",
                            .end_ns = task->end_ns,
                            .min_ns = task->end_ns - smaller_of(task->end_ns, task->error_ns),
                            .max_ns = task->end_ns,
                            .status_known = is_certain || WIFSIGNALED(task->status),
                            .status = task->status};
    if (!is_certain)
        ending.min_ns = alive_ns;
    if (!ending.status_known)
        ending.end_ns = alive_ns;
    return ending;
}

/* Whether the process lived on after it had signed: a library's destructor that hangs, or a child
 * made by vfork(2) that signed for its parent. */
static bool has_lived_on(const struct capture *capture, const struct journal_task *task,
                         const struct ending_evidence *evidence)
{
    uint64_t signed_ns = capture->end_ns + FINI_ERROR_NS;
    return seen_alive(evidence) > signed_ns ||
           (task != NULL && task->end_ns > signed_ns && task->end_ns - signed_ns > task->error_ns);
}

/* The ending of the last program that a process ran. */
static struct ending end_of_last(const struct capture *capture, const struct journal_task *task,
                                 const struct ending_evidence *evidence)
{
    bool was_waited_for = task != NULL && task->end_ns != 0;
    struct ending ending;
    if (capture->end_ns != 0 && !has_lived_on(capture, was_waited_for ? task : NULL, evidence)) {
        ending = end_by_signing(capture);
        ending.status_known = was_waited_for || capture->signal != 0;
        ending.status = was_waited_for ? task->status : (int)capture->signal;
    } else if (was_waited_for) {
        ending = end_of_task(capture, task, evidence);
    } else {
        ending = end_after_silence(capture, evidence);
    }
    return ending;
}

/* Loading the next program takes a while, and a program that leaves no capture may have run in
 * between. So the end may have been at any time before. */
static struct ending end_of_replaced(const struct capture *capture,
                                     const struct ending_evidence *evidence)
{
    struct ending ending = {.source = "exec", .max_ns = UINT64_MAX};
    if (capture->end_ns != 0 && capture->end_by != LEDGER_END_REPLACED)
        return end_by_signing(capture);
    if (capture->end_ns != 0)
        ending.max_ns = capture->end_ns + FINI_ERROR_NS;
    else if (evidence->next_ns != 0)
        ending.max_ns = evidence->next_ns;
    if (was_seen_replaced(evidence))
        ending.max_ns = smaller_of(ending.max_ns, evidence->look->gone_ns);
    ending.min_ns = later_of(capture->start_ns, seen_alive(evidence));
    ending.end_ns = capture->end_ns != 0     ? smaller_of(capture->end_ns, ending.max_ns)
                    : evidence->next_ns != 0 ? ending.max_ns
                                             : ending.min_ns;
    return ending;
}

/* A program that only starts another one in its process (wrapper.h) is over when it has begun.
 */
static struct ending end_of_wrapper(const struct capture *capture,
                                    const struct ending_evidence *evidence,
                                    const struct journal_task *task)
{
    uint64_t last_ns = task != NULL && task->end_ns != 0 ? task->end_ns : last_moment(evidence);
    return (struct ending){.source = "exec",
                           .end_ns = capture->start_ns,
                           .min_ns = capture->start_ns,
                           .max_ns = last_ns};
}

struct ending ending_find(const struct capture *capture, const struct ending_evidence *evidence)
{
    const struct journal_task *task = task_of(capture, evidence->journal);
    bool has_next = evidence->next_ns != 0 || was_seen_replaced(evidence) ||
                    (capture->end_ns != 0 && capture->end_by == LEDGER_END_REPLACED);
    bool is_wrapper = capture->end_ns == 0 &&
                      wrapper_kind(capture->exec.at, capture->exec.size) == WRAPPER_REPLACES;
    struct ending ending = has_next     ? end_of_replaced(capture, evidence)
                           : is_wrapper ? end_of_wrapper(capture, evidence, task)
                                        : end_of_last(capture, task, evidence);
    ending.task = task;
    /* a clock may have been set back */
    ending.end_ns = later_of(ending.end_ns, capture->start_ns);
    ending.min_ns = smaller_of(later_of(ending.min_ns, capture->start_ns), ending.end_ns);
    ending.max_ns = later_of(ending.max_ns, ending.end_ns);
    ending.error_ns = later_of(ending.end_ns - ending.min_ns, ending.max_ns - ending.end_ns);
    return ending;
}
