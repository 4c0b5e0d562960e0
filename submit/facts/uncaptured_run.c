/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/uncaptured_run.h"

#include <stdio.h>
#include <string.h>

#include "conf/base/uuid7.h"
#include "submit/facts/ending.h"
#include "submit/facts/sampling_read.h"

static void make_run_uuid(const struct journal *journal, const struct journal_task *task,
                          struct capture *capture)
{
    char what[512];
    int length =
        snprintf(what, sizeof what, "run %s %s %u.%u %u.%u %d %llu", journal->identity.cluster,
                 journal->identity.node, journal->identity.job, journal->identity.restart,
                 task->step, task->task, (int)task->pid, (unsigned long long)task->start_ns);
    size_t size = length < (int)sizeof what ? (size_t)length : sizeof what - 1;
    uuid7_of(task->start_ns, what, size, capture->uuid);
    /* bytes of a hash are as good as random ones */
    memcpy(&capture->random, capture->uuid + 8, sizeof capture->random);
}

/* All but what the program's file tells. */
static int make_capture(const struct journal *journal, const struct journal_task *known,
                        struct capture *capture)
{
    const struct journal_step *step = journal_find_step(journal, known->step);
    *capture = (struct capture){.pid = known->pid,
                                .start_ticks = known->ticks,
                                .start_ns = known->start_ns,
                                .rank = known->task,
                                .size = step == NULL || step->tasks == 0 ? 1 : step->tasks,
                                .step = known->step,
                                .task = known->task,
                                .task_pid = known->pid,
                                .unlisted = CAPTURE_UNKNOWN};
    make_run_uuid(journal, known, capture);
    return 0;
}

int uncaptured_run_decide(const struct policy_header *policy, const struct journal *journal,
                          uint64_t now_ns, struct coverage_uncaptured *task)
{
    struct capture capture;
    const struct ending_evidence evidence = {.journal = journal, .now_ns = now_ns};
    int error = make_capture(journal, task->task, &capture);
    if (error != 0)
        return error;
    const struct ending ending = ending_find(&capture, &evidence);
    capture.table = sampling_table(policy, capture.size);
    task->is_left_out = !sampling_keeps(policy, &capture, &ending, &task->probability);
    return 0;
}

int uncaptured_run_make(const struct journal *journal, const struct coverage_uncaptured *task,
                        struct uncaptured_run *run)
{
    size_t id_size;
    int error = make_capture(journal, task->task, &run->capture);
    if (error != 0)
        return error;
    snprintf(run->exec, sizeof run->exec, "%s", task->program);
    run->capture.exec = (struct capture_bytes){.at = run->exec, .size = strlen(run->exec)};
    run->capture.argv = (struct capture_bytes){.at = run->exec, .size = strlen(run->exec) + 1};
    id_size = elf_build_id(run->exec, run->build_id);
    if (id_size > 0)
        run->capture.build_id =
            (struct capture_bytes){.at = (const char *)run->build_id, .size = id_size};
    return 0;
}
