/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/task_ranks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/profile/numbers.h"
#include "spank/journal.h"

/* The number that the process tells, plus 1; 0: none. */
static uint64_t key_of(const struct profiled_process *process)
{
    return process->size > 1 ? (uint64_t)process->rank + 1 : 0;
}

static bool is_same_task(const struct profiled_process *a, const struct profiled_process *b)
{
    return a->step == b->step && a->task == b->task;
}

static bool is_same_key(const struct profiled_process *a, const struct profiled_process *b)
{
    return key_of(a) == key_of(b) && a->program == b->program;
}

static int by_key(const struct task_process *one, const struct task_process *other)
{
    const struct profiled_process *a = one->process, *b = other->process;
    int result = compare_numbers(key_of(a) != 0, key_of(b) != 0);
    if (result == 0 && (key_of(a) != 0 || one->apart != NULL))
        result = compare_numbers(a->program, b->program);
    if (result == 0 && one->apart != NULL)
        result = strcmp(one->apart, other->apart);
    return result != 0 ? result : compare_numbers(key_of(a), key_of(b));
}

static int by_rank(const void *left, const void *right)
{
    const struct task_process *a = left, *b = right;
    int result = compare_numbers(a->process->step, b->process->step);
    if (result == 0)
        result = compare_numbers(a->process->task, b->process->task);
    if (result == 0)
        result = compare_numbers(a->apart == NULL, b->apart == NULL);
    if (result == 0)
        result = by_key(a, b);
    return result != 0 ? result : compare_numbers(a->process->offset, b->process->offset);
}

static bool is_script(uint32_t step)
{
    return step == JOURNAL_STEP_BATCH || step == JOURNAL_STEP_INTERACTIVE ||
           step == JOURNAL_STEP_EXTERN;
}

/* The processes of one task. Those with a key are the last ones. */
static void set_apart(struct task_process *task, size_t count)
{
    size_t keyless = 0;
    while (keyless < count && key_of(task[keyless].process) == 0)
        keyless++;
    if (keyless == count)
        return;
    bool is_one = !is_script(task->process->step) &&
                  is_same_key(task[keyless].process, task[count - 1].process);
    for (size_t i = 0; i < keyless; i++) {
        const struct profiled_process *process = task[i].process;
        if (is_one && process->pid != process->task_pid)
            continue;
        const char *path = profiled_executable(process);
        task[i].apart = path != NULL ? path : "";
    }
}

int task_ranks_sort(struct profile_content *content, struct task_process **sorted)
{
    size_t count = content->process_count;
    struct task_process *made = calloc(count + 1, sizeof *made);
    if (made == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        made[i].process = &content->processes[i];
    qsort(made, count, sizeof *made, by_rank);
    for (size_t i = 0, next = 0; i < count; i = next) {
        while (next < count && is_same_task(made[i].process, made[next].process))
            next++;
        set_apart(made + i, next - i);
    }
    qsort(made, count, sizeof *made, by_rank);
    *sorted = made;
    return 0;
}

bool task_ranks_are_same(const struct task_process *a, const struct task_process *b)
{
    if (!is_same_task(a->process, b->process) || (a->apart == NULL) != (b->apart == NULL))
        return false;
    if (a->apart != NULL)
        return a->process->program == b->process->program && strcmp(a->apart, b->apart) == 0;
    return key_of(a->process) == 0 || is_same_key(a->process, b->process);
}
