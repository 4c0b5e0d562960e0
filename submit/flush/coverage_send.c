/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/coverage_send.h"

#include "submit/facts/coverage.h"
#include "submit/facts/division.h"
#include "submit/facts/ending.h"
#include "submit/facts/uncaptured_run.h"
#include "submit/flush/flush_part.h"
#include "submit/flush/kernel_witness.h"
#include "submit/flush/run_ending.h"
#include "submit/record/coverage_record.h"
#include "submit/record/run_record.h"

static int send_uncaptured_run(const struct ledger_send *send, const struct coverage_told *told,
                               const struct coverage_uncaptured *task, uint64_t *runs)
{
    const struct reading_request *request = send->request;
    struct uncaptured_run run;
    struct built_record record;
    if (task->is_left_out)
        return 0;
    int error = uncaptured_run_make(request->journal, task, &run);
    if (error != 0)
        return error;
    const struct ending_evidence evidence = {.journal = request->journal,
                                             .now_ns = request->now_ns,
                                             .kernel =
                                                 run_ending_noted(request, NULL, &run.capture),
                                             .has_not_started = task->has_not_started};
    if (evidence.kernel != NULL)
        run.capture.up_ns = evidence.kernel->note.exec_ns; /* of the task's program */
    const struct ending ending = ending_find(&run.capture, &evidence);
    struct allocation_run had = {.core_seconds = 0}; /* no program had the task's time */
    if (!task->has_not_started)
        had = division_static_had(told->division, task->index);
    const struct run_source source = {.conf = request->conf,
                                      .lines = &send->lines,
                                      .identity = &request->journal->identity,
                                      .journal = request->journal,
                                      .capture = &run.capture,
                                      .ending = &ending,
                                      .dropped = told->dropped,
                                      .probability = task->probability,
                                      .captured_by = CAPTURED_BY_JOURNAL,
                                      .missing_library = task->library,
                                      .had = &had};
    error = run_record_build(&source, &record);
    error = ledger_send_record(send, error, &record);
    *runs += error == 0;
    return error;
}

static bool is_wanted(const struct ledger_send *send, uint64_t unit)
{
    return unit >= send->request->resume_at.unit && send->begin(send->context, unit);
}

static uint64_t least(uint64_t number, double most)
{
    return (double)number > most ? (uint64_t)most : number;
}

/* What the user's processes have counted, but no more than there can have been. */
static int send_facts(const struct ledger_send *send, const struct coverage_told *told,
                      const struct coverage *coverage, uint64_t first)
{
    const struct journal *journal = send->request->journal;
    const struct job_allocation *allocation = told->allocation;
    uint64_t others_runs = least(told->others_runs, (double)job_allocation_most_runs(allocation));
    uint64_t others_ns = least(told->others_ns, allocation->core_seconds * 1e9);
    struct kernel_agreement agreement = {.agreed = 0};
    if (told->compared != NULL)
        kernel_witness->agree(told->compared, coverage, told->dropped + told->others_runs,
                              &agreement);
    const struct coverage_record_source source = {.conf = send->request->conf,
                                                  .lines = &send->lines,
                                                  .journal = journal,
                                                  .coverage = coverage,
                                                  .allocation = told->allocation,
                                                  .dropped = told->dropped,
                                                  .others_runs = others_runs,
                                                  .others_ns = others_ns,
                                                  .kernel = send->account,
                                                  .agreement = &agreement};
    int error = 0;
    for (size_t i = 0; error == 0 && i < coverage->fact_count; i += COVERAGE_RECORD_FACTS) {
        struct built_record record;
        if (!is_wanted(send, first + journal->task_count + i))
            continue;
        error = coverage_record_build(&source, i, &record);
        error = ledger_send_record(send, error, &record);
    }
    return error;
}

/* Units of tasks without a capture come first, by the number of their task in the journal, whatever
 * the others' programs are by now; then those of the coverage. */
int coverage_send(const struct ledger_send *send, const struct coverage_told *told, uint64_t first,
                  uint64_t *runs)
{
    const struct reading_request *request = send->request;
    struct coverage coverage;
    const struct coverage_source source = {.policy = send->policy,
                                           .journal = request->journal,
                                           .allocation = told->allocation,
                                           .tasks = told->tasks,
                                           .division = told->division,
                                           .dropped = told->dropped + told->others_runs,
                                           .now_ns = request->now_ns,
                                           .has_ledger = told->has_ledger,
                                           .blind = !send->begin(send->context, first - 1)};
    int error = coverage_find(&source, &coverage);
    if (error != 0)
        return error;
    for (size_t i = 0; error == 0 && i < coverage.uncaptured_count; i++) {
        const struct coverage_uncaptured *one = &coverage.uncaptured[i];
        if (is_wanted(send, first + (uint64_t)(one->task - request->journal->tasks)))
            error = send_uncaptured_run(send, told, one, runs);
    }
    if (error == 0)
        error = send_facts(send, told, &coverage, first);
    for (const struct flush_part *const *part = flush_parts; error == 0 && *part != NULL; part++)
        if ((*part)->send != NULL)
            error = (*part)->send(send, &coverage, told, runs);
    coverage_free(&coverage);
    return error;
}
