/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/static_run.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "conf/base/uuid7.h"

static int make_run_uuid(const struct journal *journal, const struct journal_task *task,
                         struct capture *capture)
{
    char what[512];
    int length =
        snprintf(what, sizeof what, "run %s %s %u.%u %u.%u %d %llu", journal->identity.cluster,
                 journal->identity.node, journal->identity.job, journal->identity.restart,
                 task->step, task->task, (int)task->pid, (unsigned long long)task->start_ns);
    size_t size = length < (int)sizeof what ? (size_t)length : sizeof what - 1;
    int error = uuid7_of(task->start_ns, what, size, capture->uuid);
    /* bytes of a hash are as good as random ones */
    memcpy(&capture->random, capture->uuid + 8, sizeof capture->random);
    return error;
}

int static_run_make(const struct journal *journal, const struct coverage_static *task,
                    struct static_run *run)
{
    const struct journal_task *known = task->task;
    const struct journal_step *step = journal_find_step(journal, known->step);
    size_t id_size;
    *run =
        (struct static_run){.capture = {.pid = known->pid,
                                        .start_ticks = known->ticks,
                                        .start_ns = known->start_ns,
                                        .rank = known->task,
                                        .size = step == NULL || step->tasks == 0 ? 1 : step->tasks,
                                        .step = known->step,
                                        .task = known->task,
                                        .task_pid = known->pid}};
    snprintf(run->exec, sizeof run->exec, "%s", task->program);
    run->capture.exec = (struct capture_bytes){.at = run->exec, .size = strlen(run->exec)};
    run->capture.argv = (struct capture_bytes){.at = run->exec, .size = strlen(run->exec) + 1};
    id_size = elf_build_id(run->exec, run->build_id);
    if (id_size > 0)
        run->capture.build_id =
            (struct capture_bytes){.at = (const char *)run->build_id, .size = id_size};
    return make_run_uuid(journal, known, &run->capture);
}
