/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/coverage_witness.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "submit/facts/wrapper.h"

bool coverage_is_named(const char *path, size_t size, const char *const names[])
{
    const char *slash = memrchr(path, '/', size);
    size_t length = slash == NULL ? size : (size_t)(path + size - slash - 1);
    for (size_t i = 0; names[i] != NULL; i++) {
        if (strlen(names[i]) == length && memcmp(names[i], path + size - length, length) == 0)
            return true;
    }
    return false;
}

bool coverage_is_runtime(const char *path, size_t size)
{
    static const char *const names[] = {
        "apptainer", "singularity", "starter", "starter-suid", "ch-run", "podman", "docker",
        "enroot",    "shifter",     "sarus",   "udocker",      "runc",   "crun",   NULL,
    };
    return coverage_is_named(path, size, names);
}

static int compare_witnesses(const void *left, const void *right)
{
    const struct coverage_witness *a = left, *b = right;
    return coverage_compare_tasks(a->step, a->task, b->step, b->task);
}

int coverage_witnesses_make(const struct journal *journal, struct coverage_witnesses *witnesses)
{
    struct coverage_witness *task = calloc(journal->task_count + 1, sizeof *task);
    if (task == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < journal->task_count; i++) {
        task[i].step = journal->tasks[i].step;
        task[i].task = journal->tasks[i].task;
    }
    qsort(task, journal->task_count, sizeof *task, compare_witnesses);
    *witnesses = (struct coverage_witnesses){task, journal->task_count};
    return 0;
}

/* The first one of the task, or NULL. */
static struct coverage_witness *find_witness(const struct coverage_witnesses *witnesses,
                                             uint32_t step, uint32_t task)
{
    size_t low = 0, high = witnesses->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct coverage_witness *witness = &witnesses->task[middle];
        if (coverage_compare_tasks(witness->step, witness->task, step, task) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    struct coverage_witness *found = &witnesses->task[low];
    return low < witnesses->count && found->step == step && found->task == task ? found : NULL;
}

void coverage_witness(struct coverage_witnesses *witnesses, const struct capture *capture)
{
    struct coverage_witness *witness = find_witness(witnesses, capture->step, capture->task);
    if (witness == NULL || wrapper_kind(capture->exec.at, capture->exec.size) != WRAPPER_NONE)
        return;
    if (!coverage_is_runtime(capture->exec.at, capture->exec.size))
        witness->kind = WITNESS_PROGRAM;
    else if (witness->kind == WITNESS_NONE)
        witness->kind = WITNESS_RUNTIME; /* what ran inside of the container is not known */
}

enum coverage_witness_kind coverage_witness_kind(const struct coverage_witnesses *witnesses,
                                                 const struct journal_task *task)
{
    const struct coverage_witness *witness =
        witnesses == NULL ? NULL : find_witness(witnesses, task->step, task->task);
    return witness == NULL ? WITNESS_NONE : witness->kind;
}

void coverage_witnesses_free(struct coverage_witnesses *witnesses)
{
    free(witnesses->task);
    *witnesses = (struct coverage_witnesses){NULL, 0};
}
