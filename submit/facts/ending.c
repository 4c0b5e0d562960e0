/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/ending.h"

#include <string.h>
#include <sys/wait.h>

#include "conf/base/clocks.h"
#include "conf/base/process.h"
#include "preload/ledger.h"
#include "submit/facts/program_name.h"

/* The process takes the time by the kernel's tick, 100 to 1000 a second. */
#define FINI_ERROR_NS UINT64_C(10000000)

/* No program that only starts another one takes so long. */
#define WRAPPER_NS UINT64_C(1000000000)

/* What slurmstepd may need to tell of an end, where it is not measured. */
#define WORK_NS UINT64_C(1000000000)

/* Of a time that the kernel reports: it reports a fork some microseconds after the start that it
 * counts from (docs/decisions/0082-the-kernel-as-a-witness.md), and one clock is read after another
 * (conf/base/clocks.h). */
#define KERNEL_ERROR_NS UINT64_C(100000)

/* Of the end of what is older than the witness: the kernel shows its start in such ticks. */
#define OLDER_ERROR_NS UINT64_C(10000000)

/* The kernel frees the memory of a process before the event of its exit. */
#define FREEING_NS UINT64_C(1000000000)

/* A process may end while the flush reads. */
#define READING_NS UINT64_C(60000000000)

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

/* The last time at which the process watch saw the run; 0: never. A look after the process began
 * the next run was at that one, which may be of the same file. */
static uint64_t seen_alive(const struct ending_evidence *evidence)
{
    const struct look *look = evidence->look;
    bool is_of_next = look != NULL && evidence->next_ns != 0 && look->alive_ns > evidence->next_ns;
    return look == NULL || is_of_next ? 0 : look->alive_ns;
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

static uint64_t sum_of(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* When a process that is gone can have ended at the latest. Its job's epilog bounds that only where
 * Slurm finds all that it has to end, by cgroups; else this look, at which it was gone. */
static uint64_t gone_until(const struct ending_evidence *evidence)
{
    const struct journal *journal = evidence->journal;
    const uint64_t last_ns = last_moment(evidence);
    if (journal != NULL && journal->freezes && journal->epilog_ns != 0)
        return last_ns;
    return journal != NULL && journal->reboot_ns != 0 ? journal->reboot_ns
                                                      : later_of(last_ns, clock_ns(CLOCK_REALTIME));
}

/* The process takes the time by the kernel's tick: the true time is that or later. */
static struct ending end_by_signing(const struct capture *capture)
{
    return (struct ending){.source = "fini",
                           .is_measured = true,
                           .end_ns = capture->end_ns,
                           .min_ns = capture->end_ns,
                           .max_ns = sum_of(capture->end_ns, FINI_ERROR_NS)};
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
    struct ending ending = {.outlived = is_outlived, .is_measured = is_outlived};
    ending.source = journal == NULL                                      ? "session"
                    : journal->epilog_ns == 0 && journal->reboot_ns != 0 ? "reboot"
                    : is_outlived || step == NULL || step->end_ns == 0   ? "epilog"
                                                                         : "step_end";
    ending.end_ns = is_outlived ? last_ns : known_alive(capture, evidence);
    ending.min_ns = ending.end_ns;
    ending.max_ns = is_outlived ? last_ns : gone_until(evidence);
    if (step != NULL && !is_outlived)
        ending.max_ns = later_of(ending.max_ns, step->end_ns);
    if (evidence->look != NULL && evidence->look->gone_ns != 0 && !is_outlived)
        ending.max_ns = smaller_of(ending.max_ns, evidence->look->gone_ns);
    ending.gone_ns = ending.max_ns;
    return ending;
}

/* What the kernel reported of the end of the capture's process; NULL: nothing that can be used. */
static const struct kernel_noted *told_by_kernel(const struct ending_evidence *evidence)
{
    const struct kernel_noted *kernel = evidence->kernel;
    bool is_known =
        kernel != NULL && (kernel->note.lack & (KERNEL_LACK_END | KERNEL_LACK_STATUS)) == 0;
    return is_known ? kernel : NULL;
}

/* Whether the kernel saw the process execute its last program before this capture began. */
static bool is_last_program(const struct capture *capture, const struct kernel_noted *kernel)
{
    return capture->up_ns != 0 && kernel->note.exec_ns != 0 &&
           kernel->note.exec_ns <= capture->up_ns;
}

/* Whether what the kernel reports of the end is this program's: another one that came after it
 * would have been heard, or have another file. */
static bool is_status_its_own(const struct capture *capture, const struct ending_evidence *evidence,
                              const struct kernel_noted *kernel)
{
    const struct kernel_note *note = &kernel->note;
    bool is_older = note->exec_ns == 0 && (note->lack & KERNEL_LACK_START) != 0;
    return is_last_program(capture, kernel) ||
           (is_older && evidence->is_program != NULL && evidence->is_program(capture, note));
}

/* Whether the kernel saw it execute another one after that. */
static bool was_replaced_unseen(const struct capture *capture, const struct kernel_noted *kernel)
{
    return capture->up_ns != 0 && kernel->note.exec_ns > capture->up_ns;
}

/* Whether the status that Slurm saw is the program's and not that of one that replaced it. */
static bool is_certain(const struct capture *capture, const struct ending_evidence *evidence)
{
    const struct kernel_noted *kernel = told_by_kernel(evidence);
    if (kernel != NULL && is_last_program(capture, kernel))
        return true;
    if (kernel != NULL && was_replaced_unseen(capture, kernel))
        return false;
    return evidence->is_replaceable == NULL || !evidence->is_replaceable(capture);
}

/* By how much the real-time clock was set back during the job, as far as that is known. */
static uint64_t set_back_ns(const struct ending_evidence *evidence)
{
    const struct journal *journal = evidence->journal;
    bool was_set_back = journal != NULL && journal->is_clock_known && journal->clock_step_ns < 0;
    return was_set_back ? (uint64_t)0 - (uint64_t)journal->clock_step_ns : 0;
}

/* Whether the kernel reported that the task executed nothing after `time_ns`. */
static bool executed_nothing_since(const struct journal_task *task, uint64_t time_ns,
                                   const struct ending_evidence *evidence)
{
    return task->program_ns != 0 && task->error_ns != UINT64_MAX &&
           sum_of(task->program_ns, set_back_ns(evidence)) <= time_ns;
}

/* How much earlier than slurmstepd saw it the task may have ended; UINT64_MAX: unknown. What lived
 * after the kernel's time of the end did not end then: the first thread left before the others, or
 * another one became this program (spank/exit_note.h). That time bounds nothing more, and
 * slurmstepd's work is what remains. */
static uint64_t error_of(const struct journal_task *task, uint64_t alive_ns)
{
    bool is_of_thread = task->error_ns != UINT64_MAX &&
                        alive_ns > task->end_ns - smaller_of(task->end_ns, task->error_ns);
    return is_of_thread ? smaller_of(task->error_ns, task->work_ns) : task->error_ns;
}

/* The end of a task that Slurm waited for, as slurmstepd saw it. */
static struct ending end_of_task(const struct capture *capture, const struct journal_task *task,
                                 const struct ending_evidence *evidence, bool is_own)
{
    uint64_t alive_ns = known_alive(capture, evidence);
    uint64_t error_ns = error_of(task, alive_ns);
    bool is_bounded = is_own && error_ns != UINT64_MAX;
    struct ending ending = {.source = evidence->has_not_started ? "not_started"
                                      : is_own                  ? "task_exit"
                                                                : "task_end",
                            .end_ns = task->end_ns,
                            .min_ns = alive_ns,
                            .max_ns = task->max_ns,
                            .status_known = is_own || WIFSIGNALED(task->status),
                            .status = task->status};
    if (is_bounded)
        ending.min_ns = later_of(alive_ns, task->end_ns - smaller_of(task->end_ns, error_ns));
    ending.is_measured = is_bounded && error_ns <= WORK_NS;
    if (!ending.status_known || (is_own && !is_bounded))
        ending.end_ns = alive_ns;
    return ending;
}

/* Whether the process lived on after it had signed, as one does whose library's destructor hangs,
 * or for which a child made by vfork(2) has signed: it was seen, or was killed by a signal other
 * than the one of which our handler has written. That slurmstepd reported its end later shows
 * nothing: slurmstepd may have been blocked. */
static bool has_lived_on(const struct capture *capture, const struct journal_task *task,
                         const struct ending_evidence *evidence)
{
    bool was_killed = task != NULL && WIFSIGNALED(task->status) &&
                      (capture->signal == 0 || (uint32_t)WTERMSIG(task->status) != capture->signal);
    /* The process watch may have looked before the clock was set back. */
    return was_killed || seen_alive(evidence) >
                             sum_of(sum_of(capture->end_ns, set_back_ns(evidence)), FINI_ERROR_NS);
}

/* The end of a task that signed and that Slurm waited for. Where slurmstepd reported it later than
 * its work explains, either it was blocked or the task lived on. The kernel's time of the end does
 * not tell which: the thread that lives on need not be the first one. */
static struct ending end_of_signed_task(const struct capture *capture,
                                        const struct journal_task *task,
                                        const struct ending_evidence *evidence)
{
    struct ending ending = end_by_signing(capture);
    uint64_t work_ns = task->work_ns == UINT64_MAX ? WORK_NS : task->work_ns;
    bool is_late = task->end_ns > sum_of(ending.max_ns, work_ns);
    ending.is_measured = !is_late;
    if (is_late)
        ending.max_ns = task->max_ns;
    ending.status_known = !is_late || is_certain(capture, evidence) ||
                          executed_nothing_since(task, capture->end_ns, evidence);
    ending.status = task->status;
    return ending;
}

/* How much earlier than the kernel's time the process may have ended. */
static uint64_t early_ns(const struct kernel_note *note)
{
    return (note->lack & KERNEL_LACK_STATUS) != 0  ? FREEING_NS
           : (note->lack & KERNEL_LACK_START) != 0 ? OLDER_ERROR_NS
                                                   : KERNEL_ERROR_NS;
}

static struct ending end_by_kernel(const struct capture *capture,
                                   const struct ending_evidence *evidence,
                                   const struct kernel_noted *kernel)
{
    struct ending ending = {.source = "kernel",
                            .is_measured = true,
                            .end_ns = kernel->end_real_ns,
                            .min_ns = kernel->end_real_ns - early_ns(&kernel->note),
                            .max_ns = sum_of(kernel->end_real_ns, KERNEL_ERROR_NS),
                            .status_known = is_status_its_own(capture, evidence, kernel),
                            .status = kernel->note.status};
    return ending;
}

/* The end of a process that Slurm did not wait for, and that the kernel reported. */
static struct ending end_told_by_kernel(const struct capture *capture, bool is_signed,
                                        const struct ending_evidence *evidence,
                                        const struct kernel_noted *kernel)
{
    struct ending ending = end_by_signing(capture);
    if (is_signed && kernel->end_real_ns <= sum_of(ending.max_ns, WORK_NS)) {
        ending.status_known = is_status_its_own(capture, evidence, kernel);
        ending.status = kernel->note.status;
        return ending;
    }
    if (!is_signed && was_replaced_unseen(capture, kernel)) {
        /* The kernel saw when another program, which left no capture, replaced this one at the
         * latest. */
        uint64_t alive_ns = known_alive(capture, evidence);
        return (struct ending){.source = "exec",
                               .end_ns = alive_ns,
                               .min_ns = alive_ns,
                               .max_ns = later_of(kernel->exec_real_ns, alive_ns)};
    }
    return end_by_kernel(capture, evidence, kernel);
}

/* The ending of the last program that a process ran. */
static struct ending end_of_last(const struct capture *capture, const struct journal_task *task,
                                 const struct ending_evidence *evidence)
{
    const struct journal_task *told = task != NULL && task->end_ns != 0 ? task : NULL;
    bool is_signed = capture->end_ns != 0 && !has_lived_on(capture, told, evidence);
    if (is_signed && told != NULL)
        return end_of_signed_task(capture, told, evidence);
    if (told != NULL)
        return end_of_task(capture, told, evidence,
                           is_certain(capture, evidence) ||
                               executed_nothing_since(told, capture->start_ns, evidence));
    const struct kernel_noted *kernel = told_by_kernel(evidence);
    if (kernel != NULL)
        return end_told_by_kernel(capture, is_signed, evidence, kernel);
    if (!is_signed)
        return end_after_silence(capture, evidence);
    struct ending ending = end_by_signing(capture);
    ending.status_known = capture->signal != 0;
    ending.status = (int)capture->signal;
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
        ending.max_ns = sum_of(capture->end_ns, FINI_ERROR_NS);
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

/* A program that only starts another one in its process (program_name.h) is over when it has begun,
 * or was seen last. */
static struct ending end_of_wrapper(const struct capture *capture,
                                    const struct ending_evidence *evidence,
                                    const struct journal_task *task)
{
    uint64_t alive_ns = later_of(capture->start_ns, seen_alive(evidence));
    uint64_t last_ns = evidence->next_ns != 0              ? evidence->next_ns
                       : task != NULL && task->end_ns != 0 ? task->max_ns
                                                           : last_moment(evidence);
    return (struct ending){
        .source = "exec", .end_ns = alive_ns, .min_ns = alive_ns, .max_ns = last_ns};
}

/* By its name it only starts another program in its process, and nothing says otherwise: it wrote
 * no end, and was not seen to run for longer than such a program does. */
static bool is_wrapper(const struct capture *capture, const struct ending_evidence *evidence)
{
    const struct kernel_noted *kernel = told_by_kernel(evidence);
    if (kernel != NULL && is_last_program(capture, kernel))
        return false;
    return capture->end_ns == 0 && seen_alive(evidence) <= sum_of(capture->start_ns, WRAPPER_NS) &&
           wrapper_kind(capture->exec.at, capture->exec.size) == WRAPPER_REPLACES;
}

/* Starts and ends in the ledger are what its user says. What lies behind the last moment, more than
 * what ends while the flush reads, is not believed. */
static uint64_t believed(uint64_t time_ns, uint64_t last_ns)
{
    return time_ns > sum_of(last_ns, READING_NS) ? last_ns : time_ns;
}

/* What the kernel reported of a process is of its last run alone, so that it is reported once. */
static void add_kernel(const struct capture *capture, const struct kernel_noted *kernel,
                       struct ending *ending)
{
    if (kernel == NULL || ending->outlived || strcmp(ending->source, "exec") == 0 ||
        !is_last_program(capture, kernel))
        return;
    ending->seen = kernel;
    ending->used = (kernel->note.lack & KERNEL_LACK_USED) == 0 ? &kernel->note : NULL;
}

/* Whether a time was measured that the kernel's allows, and that is the more exact one, as where
 * the kernel tells no more than the event of the exit. */
static bool is_exacter(const struct ending *ending, uint64_t min_ns, uint64_t max_ns)
{
    const uint64_t early = ending->end_ns - smaller_of(ending->min_ns, ending->end_ns);
    const uint64_t late = ending->max_ns - smaller_of(ending->end_ns, ending->max_ns);
    return ending->is_measured && ending->end_ns >= min_ns && ending->end_ns <= max_ns &&
           early + late < max_ns - min_ns;
}

/* This was the last program of its process, so that the kernel's time is its end, whatever the
 * ledger has, and however late slurmstepd was. */
static void take_kernels_end(struct ending *ending)
{
    if (ending->seen == NULL || (ending->seen->note.lack & KERNEL_LACK_END) != 0)
        return;
    const uint64_t end_ns = ending->seen->end_real_ns;
    const uint64_t min_ns = end_ns - early_ns(&ending->seen->note);
    const uint64_t max_ns = sum_of(end_ns, KERNEL_ERROR_NS);
    ending->gone_ns = 0; /* of the kernel's time there is a closer bound */
    if (is_exacter(ending, min_ns, max_ns)) {
        ending->min_ns = later_of(ending->min_ns, min_ns);
        ending->max_ns = smaller_of(ending->max_ns, max_ns);
        return;
    }
    ending->end_ns = end_ns;
    ending->min_ns = min_ns;
    ending->max_ns = max_ns;
    ending->is_measured = true;
}

struct ending ending_find(const struct capture *capture, const struct ending_evidence *evidence)
{
    const struct journal_task *task =
        capture->first || evidence->journal == NULL
            ? NULL
            : journal_find_task(evidence->journal, capture->pid, capture->start_ticks);
    bool has_next =
        evidence->next_ns != 0 || (capture->end_ns != 0 && capture->end_by == LEDGER_END_REPLACED);
    struct ending ending;
    if (evidence->replaced_ns != 0)
        ending = (struct ending){.source = "exec",
                                 .is_measured = true,
                                 .end_ns = evidence->replaced_ns,
                                 .min_ns = evidence->replaced_ns - KERNEL_ERROR_NS,
                                 .max_ns = sum_of(evidence->replaced_ns, KERNEL_ERROR_NS)};
    else if (is_wrapper(capture, evidence) && (has_next || !was_seen_replaced(evidence)))
        ending = end_of_wrapper(capture, evidence, task);
    else if (has_next || was_seen_replaced(evidence))
        ending = end_of_replaced(capture, evidence);
    else
        ending = end_of_last(capture, task, evidence);
    uint64_t last_ns = later_of(last_moment(evidence), capture->start_ns);
    ending.task = task;
    add_kernel(capture, evidence->kernel, &ending);
    take_kernels_end(&ending);
    /* a clock may have been set back */
    ending.end_ns = later_of(believed(ending.end_ns, last_ns), capture->start_ns);
    ending.min_ns = smaller_of(later_of(ending.min_ns, capture->start_ns), ending.end_ns);
    ending.max_ns =
        later_of(later_of(believed(ending.max_ns, last_ns), ending.gone_ns), ending.end_ns);
    ending.error_ns = later_of(ending.end_ns - ending.min_ns, ending.max_ns - ending.end_ns);
    return ending;
}
