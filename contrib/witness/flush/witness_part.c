/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The part of the flush that the kernel's witness has: the runs of a job of which the kernel alone
 * told (kernel_run.h), and its ranks, summarised (rank_summary.h).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "conf/base/cleanup.h"
#include "conf/policy_file.h"
#include "contrib/witness/flush/kernel_ranks.h"
#include "contrib/witness/ranks/ranks_record.h"
#include "submit/facts/coverage.h"
#include "submit/facts/ending.h"
#include "submit/facts/job_tasks.h"
#include "submit/facts/kernel_run.h"
#include "submit/facts/sampling_read.h"
#include "submit/facts/two_witnesses.h"
#include "submit/flush/flush_part.h"
#include "submit/flush/reading_request.h"
#include "submit/record/run_record.h"

/* Behind those of ledger and coverage: page numbers, tasks and facts have 32 bits. */
#define FIRST_UNIT (UINT64_C(1) << 34)

/* In the order of the journal. */
static int compare_task(const void *key, const void *member)
{
    const struct journal_task *task = key;
    const struct coverage_uncaptured *one = member;
    return task < one->task ? -1 : task > one->task;
}

static bool has_record(const struct coverage *coverage, const struct journal_task *task)
{
    return task != NULL && coverage->uncaptured_count > 0 &&
           bsearch(task, coverage->uncaptured, coverage->uncaptured_count,
                   sizeof *coverage->uncaptured, compare_task) != NULL;
}

static int send_run(const struct ledger_send *send, const struct kernel_noted *noted,
                    bool is_replaced, const struct kernel_run *run, uint64_t dropped,
                    uint64_t *runs)
{
    const struct reading_request *request = send->request;
    struct built_record record;
    const struct ending_evidence evidence = {.journal = request->journal,
                                             .now_ns = request->now_ns,
                                             .replaced_ns = is_replaced ? noted->end_real_ns : 0,
                                             .kernel = is_replaced ? NULL : noted};
    const struct ending ending = ending_find(&run->capture, &evidence);
    struct run_source source = {.conf = request->conf,
                                .lines = &send->lines,
                                .identity = &request->journal->identity,
                                .journal = request->journal,
                                .capture = &run->capture,
                                .ending = &ending,
                                .dropped = dropped,
                                .captured_by = CAPTURED_BY_KERNEL,
                                .is_elsewhere = run->is_elsewhere};
    if (!sampling_keeps(send->policy, &run->capture, &ending, &source.probability))
        return 0;
    int error = run_record_build(&source, &record);
    error = ledger_send_record(send, error, &record);
    *runs += error == 0;
    return error;
}

/* Processes by their last programs, and behind them programs that others replaced. */
static const struct kernel_noted *noted_at(const struct kernel_notes *kernel, size_t at)
{
    return at < kernel->count ? &kernel->noted[at] : &kernel->replaced[at - kernel->count];
}

/* Whether jobtrail-ld has linked the library into it, which the kernel does not see. That has told
 * of the run, or its user or the site left it out, or rank 0 tells. */
static bool has_copy(const struct conf *conf, const struct kernel_note *note,
                     const struct kernel_run *run)
{
    const bool is_static = (note->lack & KERNEL_LACK_LOADER) != 0;
    return run->is_marked && (note->lack & KERNEL_LACK_CAPTURE) == KERNEL_LACK_LIBRARY &&
           (conf->link_startup == CONF_STARTUP_ALL ||
            (conf->link_startup == CONF_STARTUP_STATIC && is_static));
}

/* Gives their records, but for tasks of which one is made in the coverage. */
static int kernel_send(const struct ledger_send *send, const struct coverage *coverage,
                       const struct coverage_told *told, uint64_t *runs)
{
    const struct reading_request *request = send->request;
    const struct kernel_run_source source = {.policy = send->policy,
                                             .journal = request->journal,
                                             .notes = request->kernel,
                                             .is_host_skipped = coverage_skips_host(send->policy)};
    if (request->kernel == NULL)
        return 0;
    CLEANUP_FREE void *memory = malloc(sizeof(struct kernel_run));
    struct kernel_run *run = memory;
    int error = run == NULL ? -ENOMEM : 0;
    if (coverage_excludes(send->policy, request->journal))
        return error;
    const size_t last = request->kernel->count, count = last + request->kernel->replaced_count;
    struct kernel_ranks ranks = {.count = 0};
    if (error == 0)
        error = kernel_ranks_make(&source, run, &ranks);
    for (size_t i = 0; error == 0 && i < count; i++) {
        const struct kernel_noted *noted = noted_at(request->kernel, i);
        const uint64_t unit = FIRST_UNIT + i;
        if (unit < request->resume_at.unit || !kernel_run_find(&source, noted, run) ||
            has_record(coverage, run->is_task) ||
            (told->witnesses != NULL && two_witnesses_is_written(told->witnesses, i)) ||
            !kernel_ranks_leads(&ranks, &source, told->tasks, noted, run) ||
            !send->begin(send->context, unit))
            continue;
        error = kernel_run_make(&source, noted, run);
        if (error == 0 && !has_copy(request->conf, &noted->note, run))
            error = send_run(send, noted, i >= last, run, told->dropped, runs);
    }
    kernel_ranks_free(&ranks);
    return error;
}

static int send_row(const struct reading_request *request, const struct rank_row *row)
{
    const struct ranks_source source = {request->conf, request->journal, row};
    struct built_record record;
    int error = ranks_record_build(&source, &record);
    if (error != 0)
        return error;
    const struct record_view view = record_view_of(&record);
    error = request->take(request->context, &view);
    record_free(&record);
    return error;
}

/* Gives records of the job's ranks. Root makes them of what root's own programs have written; the
 * reader has no part in them. */
static int ranks_send(const struct reading_request *request)
{
    CLEANUP_FREE void *policy = NULL;
    struct rank_summary summary;
    if (request->kernel->listeners == 0 || policy_load(request->conf, &policy) != 0)
        return 0; /* without a policy nothing else is read, either */
    const struct job_allocation allocation = job_allocation_find(request->journal, request->now_ns);
    int error =
        rank_summary_make(request->journal, request->kernel, policy, allocation.end_ns, &summary);
    if (error != 0)
        return error;
    if (summary.left_out > 0)
        fprintf(stderr,
                "jobtrail-submit: job %u: ranks of %zu steps and programs are not summarised: "
                "there are more than %d\n",
                request->journal->identity.job, summary.left_out, RANK_ROWS_MAX);
    for (size_t i = 0; error == 0 && i < summary.count; i++)
        error = send_row(request, &summary.rows[i]);
    rank_summary_free(&summary);
    return error;
}

const struct flush_part flush_part_witness = {
    .name = "witness", .give = ranks_send, .send = kernel_send};
