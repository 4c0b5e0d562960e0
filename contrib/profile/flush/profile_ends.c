/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/flush/profile_ends.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "conf/base/clocks.h"
#include "conf/base/grow.h"
#include "conf/base/process.h"
#include "submit/evidence/succession.h"
#include "submit/facts/clock_step.h"
#include "submit/flush/run_ending.h"

#define TICK_NS UINT64_C(10000000)

/* As in submit/facts/ending.c. */
#define KERNEL_ERROR_NS UINT64_C(100000)

struct captured_end {
    uint8_t uuid[16];
    int32_t pid;
    struct collect_end end;
};

static int by_run(const void *left, const void *right)
{
    const struct captured_end *a = left, *b = right;
    int order = memcmp(a->uuid, b->uuid, sizeof a->uuid);
    return order != 0 ? order : (a->pid > b->pid) - (a->pid < b->pid);
}

static uint64_t minus(uint64_t value, uint64_t less)
{
    return value > less ? value - less : 0;
}

static bool is_slurms(const struct ending *ending)
{
    return ending->task != NULL && ending->end_ns == ending->task->end_ns;
}

/* Whether it is known by how much the clock that the ending's times are of is ahead of the time
 * since boot. It may have been set since the run began. */
static bool find_apart(const struct reading_request *request, const struct kernel_noted *noted,
                       const struct capture *capture, const struct ending *ending,
                       uint64_t *apart_ns)
{
    const struct journal_task *task = ending->task;
    if (noted != NULL && ending->end_ns == noted->end_real_ns) {
        *apart_ns = noted->end_real_ns - noted->note.end_ns;
        return true;
    }
    if (is_slurms(ending) && task->max_up_ns != 0) {
        *apart_ns = task->max_ns - task->max_up_ns;
        return true;
    }
    const struct clock_step step = clock_step_find(capture, ending, request->journal);
    *apart_ns = ending->end_ns - capture->up_ns - step.run_ns;
    return capture->up_ns != 0 && step.is_known;
}

static uint32_t way_of(const char *source, bool is_known, int status)
{
    return strcmp(source, "exec") == 0       ? PROFILE_WAY_EXEC
           : is_known && WIFSIGNALED(status) ? PROFILE_WAY_SIGNALED
           : is_known                        ? PROFILE_WAY_EXITED
                                             : PROFILE_WAY_UNSEEN;
}

/* Since boot: when no process of the step that is gone lived any more; 0: not known. Where Slurm
 * has a cgroup for the step's processes, it ends all of them with it. Others may outlive the
 * epilog, and are gone now. */
static uint64_t last_moment(const struct journal *journal, uint32_t number)
{
    const struct journal_step *step = journal_find_step(journal, number);
    if (journal->reboot_ns != 0)
        return 0;
    if (step != NULL && journal->freezes && step->end_up_ns != 0)
        return step->end_up_ns;
    return journal->epilog_ns == 0 ? 0
           : journal->freezes      ? journal->up_ns
                                   : clock_ns(CLOCK_BOOTTIME);
}

/* Of a task that a signal ended, Slurm's time is the end, however long before it was seen last.
 * Returns what it did not end before, by the clock of the ending. */
static uint64_t earliest(const struct ending *ending)
{
    const struct journal_task *task = ending->task;
    if (!is_slurms(ending) || !WIFSIGNALED(task->status))
        return ending->min_ns;
    uint64_t bound_ns = minus(task->end_ns, task->error_ns);
    return bound_ns > ending->min_ns ? bound_ns : ending->min_ns;
}

static struct collect_end end_of(const struct reading_request *request,
                                 const struct kernel_noted *noted, const struct capture *capture,
                                 const struct ending *ending)
{
    uint64_t apart_ns, last_ns = last_moment(request->journal, capture->step);
    struct collect_end end = {.way = way_of(ending->source, ending->status_known, ending->status),
                              .status = ending->status};
    if (ending->outlived)
        return (struct collect_end){.ns = UINT64_MAX, .is_known = true, .way = PROFILE_WAY_RUNS};
    if (!find_apart(request, noted, capture, ending, &apart_ns)) {
        end.max_ns = last_ns;
        return end;
    }
    end.is_known = ending->is_measured || is_slurms(ending);
    end.min_ns = minus(earliest(ending), apart_ns);
    /* a program that the next one replaced lived until shortly before that began */
    bool is_near = end.is_known || end.way == PROFILE_WAY_EXEC;
    end.ns = is_near ? minus(ending->end_ns, apart_ns) : end.min_ns;
    end.max_ns = ending->max_ns == UINT64_MAX ? 0 : minus(ending->max_ns, apart_ns);
    if (!end.is_known && last_ns != 0 && (end.max_ns == 0 || end.max_ns > last_ns))
        end.max_ns = last_ns;
    return end;
}

static int add_capture(struct profile_ends *ends, const struct kernel_compared *compared,
                       struct ledger_reader *reader, const struct succession_entry *entry)
{
    struct capture capture;
    int found = entry->stub != 0 ? 0 : succession_capture(reader, entry, &capture);
    if (found != 1)
        return found == -EINVAL ? 0 : found;
    int error = GROW_TO(ends->captured, ends->room, ends->count + 1);
    if (error != 0)
        return error;
    const struct reading_request *request = ends->request;
    const struct kernel_noted *noted = run_ending_noted(request, compared, &capture);
    const struct ending ending = run_ending_find(request, noted, &capture, entry->next_ns, true);
    struct captured_end *added = &ends->captured[ends->count++];
    *added =
        (struct captured_end){.pid = capture.pid, .end = end_of(request, noted, &capture, &ending)};
    memcpy(added->uuid, capture.uuid, sizeof added->uuid);
    return 0;
}

int profile_ends_read(const struct reading_request *request, struct profile_ends *ends)
{
    struct ledger_reader reader;
    struct succession succession = {.count = 0};
    struct kernel_compared *compared = NULL;
    *ends = (struct profile_ends){.request = request};
    int error = request->ledger < 0
                    ? -EINVAL
                    : ledger_open(request->ledger, request->conf->ledger_bytes, &reader);
    if (error != 0)
        return error == -EINVAL ? 0 : error;
    error = succession_read(&reader, &succession);
    const struct kernel_comparison comparison = {.journal = request->journal,
                                                 .kernel = request->kernel,
                                                 .reader = &reader,
                                                 .succession = &succession};
    if (error == 0 && request->kernel != NULL)
        error = kernel_witness->compare(&comparison, &compared);
    for (size_t i = 0; error == 0 && i < succession.count; i++)
        error = add_capture(ends, compared, &reader, &succession.entry[i]);
    if (compared != NULL)
        kernel_witness->end(compared);
    succession_free(&succession);
    ledger_close(&reader);
    if (ends->count > 0)
        qsort(ends->captured, ends->count, sizeof *ends->captured, by_run);
    return error;
}

static const struct captured_end *find_captured(const struct profile_ends *ends,
                                                const struct profiled_process *process)
{
    static const uint8_t none[sizeof process->uuid];
    struct captured_end key = {.pid = process->pid};
    if (ends->count == 0 || memcmp(process->uuid, none, sizeof none) == 0)
        return NULL;
    memcpy(key.uuid, process->uuid, sizeof key.uuid);
    return bsearch(&key, ends->captured, ends->count, sizeof key, by_run);
}

/* The kernel saw it execute another program at the latest when it did so last. */
static struct collect_end end_of_replaced(const struct kernel_notes *kernel,
                                          const struct kernel_note *note, uint64_t start_ns)
{
    const struct kernel_noted *replaced = kernel_witness->replaced(kernel, note, start_ns);
    struct collect_end end = {.max_ns = note->exec_ns, .way = PROFILE_WAY_EXEC};
    if (replaced != NULL) {
        end.ns = end.min_ns = end.max_ns = replaced->note.end_ns;
        end.is_known = true;
    }
    return end;
}

/* Whether the kernel reported the end of the process. Of one whose events were not all heard, it
 * may be that of another program than the one which called the functions. */
static bool find_kernels(const struct profile_ends *ends, const struct profiled_process *process,
                         struct collect_end *end)
{
    const uint32_t needed = KERNEL_LACK_START | KERNEL_LACK_END | KERNEL_LACK_STATUS;
    const struct reading_request *request = ends->request;
    const struct capture capture = {
        .pid = process->pid, .start_ticks = process->start.boot_ns / TICK_NS, .first = 1};
    const struct kernel_noted *noted = run_ending_noted(request, NULL, &capture);
    if (noted == NULL || (noted->note.lack & needed) != 0)
        return false;
    const struct kernel_note *note = &noted->note;
    if (note->exec_ns > process->start.boot_ns)
        *end = end_of_replaced(request->kernel, note, process->start.boot_ns);
    else
        *end = (struct collect_end){.ns = note->end_ns,
                                    .min_ns = minus(note->end_ns, KERNEL_ERROR_NS),
                                    .max_ns = note->end_ns + KERNEL_ERROR_NS,
                                    .is_known = true,
                                    .way = way_of("kernel", true, note->status),
                                    .status = note->status};
    return true;
}

/* What Slurm saw of the task. One that exits may have replaced its program before, but within MPI
 * programs do not. */
static struct collect_end end_of_task(const struct journal_task *task, bool is_in_mpi)
{
    struct collect_end end = {.max_ns = task->max_up_ns, .way = PROFILE_WAY_UNSEEN};
    if (!WIFSIGNALED(task->status) && !is_in_mpi)
        return end;
    end.way = way_of("", true, task->status);
    end.status = task->status;
    if (task->max_up_ns == 0)
        return end;
    end.is_known = true;
    end.ns = minus(task->max_up_ns, task->max_ns - task->end_ns);
    end.min_ns = minus(end.ns, task->error_ns);
    return end;
}

static bool find_slurms(const struct profile_ends *ends, const struct profiled_process *process,
                        struct collect_end *end)
{
    const struct journal *journal = ends->request->journal;
    for (size_t i = 0; i < journal->task_count; i++) {
        const struct journal_task *task = &journal->tasks[i];
        if (task->step == process->step && task->task == process->task &&
            task->pid == process->pid && task->end_ns != 0) {
            *end = end_of_task(task, profiled_is_in_mpi(process));
            return true;
        }
    }
    return false;
}

/* Whether a process of the user has this pid, which began before. A container's pids are others. */
static bool still_runs(const struct reading_request *request,
                       const struct profiled_process *process)
{
    char path[32];
    struct stat status;
    uint64_t ticks;
    const struct journal_step *step = journal_find_step(request->journal, process->step);
    snprintf(path, sizeof path, "/proc/%" PRId32, process->pid);
    return request->journal->reboot_ns == 0 && step != NULL && !step->container &&
           process_start(process->pid, &ticks) && ticks <= process->start.boot_ns / TICK_NS &&
           stat(path, &status) == 0 && status.st_uid == request->journal->identity.uid;
}

struct collect_end profile_ends_find(const struct profile_ends *ends,
                                     const struct profiled_process *process)
{
    const struct captured_end *captured = find_captured(ends, process);
    struct collect_end end;
    if (captured != NULL)
        return captured->end;
    if (find_kernels(ends, process, &end) || find_slurms(ends, process, &end))
        return end;
    /* Of others it is known that they were gone when the job was over, unless they still run. */
    if (still_runs(ends->request, process))
        return (struct collect_end){.ns = UINT64_MAX, .is_known = true, .way = PROFILE_WAY_RUNS};
    return (struct collect_end){.max_ns = last_moment(ends->request->journal, process->step),
                                .way = PROFILE_WAY_UNSEEN};
}
