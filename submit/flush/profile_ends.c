/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/profile_ends.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "conf/base/grow.h"
#include "submit/evidence/succession.h"
#include "submit/flush/run_ending.h"

#define TICK_NS UINT64_C(10000000)

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

/* Of a task that a signal ended, Slurm's time is the end, however long before it was seen last. */
static struct collect_end end_of(const struct ending *ending)
{
    bool is_slurms = ending->task != NULL && ending->end_ns == ending->task->end_ns;
    return (struct collect_end){.ns = ending->end_ns, .is_known = ending->is_measured || is_slurms};
}

static int add_capture(struct profile_ends *ends, const struct other_pids *others,
                       struct ledger_reader *reader, const struct succession_entry *entry)
{
    struct capture capture;
    int found = entry->stub != 0 ? 0 : succession_capture(reader, entry, &capture);
    if (found != 1)
        return found == -EINVAL ? 0 : found;
    int error = GROW_TO(ends->captured, ends->room, ends->count + 1);
    if (error != 0)
        return error;
    const struct ending ending =
        run_ending_find(ends->request, run_ending_noted(ends->request, others, &capture), &capture,
                        entry->next_ns, true);
    struct captured_end *added = &ends->captured[ends->count++];
    *added = (struct captured_end){.pid = capture.pid, .end = end_of(&ending)};
    memcpy(added->uuid, capture.uuid, sizeof added->uuid);
    return 0;
}

int profile_ends_read(const struct reading_request *request, struct profile_ends *ends)
{
    struct ledger_reader reader;
    struct succession succession = {.count = 0};
    struct other_pids *others = NULL;
    *ends = (struct profile_ends){.request = request};
    int error = request->ledger < 0
                    ? -EINVAL
                    : ledger_open(request->ledger, request->conf->ledger_bytes, &reader);
    if (error != 0)
        return error == -EINVAL ? 0 : error;
    error = succession_read(&reader, &succession);
    if (error == 0 && request->kernel != NULL)
        error = other_pids_new(request->journal, request->kernel, &succession, &others);
    if (error == 0 && others != NULL)
        error = other_pids_pair(others, &reader, &succession);
    for (size_t i = 0; error == 0 && i < succession.count; i++)
        error = add_capture(ends, others, &reader, &succession.entry[i]);
    other_pids_free(others);
    succession_free(&succession);
    ledger_close(&reader);
    if (ends->count > 0)
        qsort(ends->captured, ends->count, sizeof *ends->captured, by_run);
    return error;
}

void profile_ends_free(struct profile_ends *ends)
{
    free(ends->captured);
    *ends = (struct profile_ends){.count = 0};
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

/* Whether the kernel told of the end, and it is that of the program which called the functions. */
static bool find_kernels(const struct profile_ends *ends, const struct profiled_process *process,
                         uint64_t *end_ns)
{
    const uint32_t needed = KERNEL_LACK_START | KERNEL_LACK_END | KERNEL_LACK_STATUS;
    const struct reading_request *request = ends->request;
    if (request->kernel == NULL || !journal_knows_pids(request->journal, process->step, 0))
        return false;
    const struct kernel_noted *noted =
        kernel_notes_find(request->kernel, process->pid, process->start.boot_ns / TICK_NS, true);
    if (noted == NULL || (noted->note.lack & needed) != 0 ||
        noted->note.exec_ns > process->start.boot_ns)
        return false;
    *end_ns = noted->end_real_ns;
    return true;
}

/* Slurm has waited for the task. One that exits may have replaced its program before. */
static bool find_slurms(const struct profile_ends *ends, const struct profiled_process *process,
                        uint64_t *end_ns)
{
    const struct journal *journal = ends->request->journal;
    for (size_t i = 0; i < journal->task_count; i++) {
        const struct journal_task *task = &journal->tasks[i];
        if (task->step == process->step && task->task == process->task &&
            task->pid == process->pid && task->end_ns != 0 && WIFSIGNALED(task->status)) {
            *end_ns = task->end_ns;
            return true;
        }
    }
    return false;
}

struct collect_end profile_ends_find(const struct profile_ends *ends,
                                     const struct profiled_process *process)
{
    const struct captured_end *captured = find_captured(ends, process);
    struct collect_end end = {.ns = 0};
    if (captured != NULL)
        return captured->end;
    end.is_known = find_kernels(ends, process, &end.ns) || find_slurms(ends, process, &end.ns);
    return end;
}
