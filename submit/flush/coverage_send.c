/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/coverage_send.h"

#include "submit/facts/ending.h"
#include "submit/facts/sampling_read.h"
#include "submit/facts/static_run.h"
#include "submit/record/coverage_record.h"
#include "submit/record/run_record.h"

static int give_run(const struct coverage_send *send, const struct static_run *run,
                    const struct ending *ending, uint64_t *runs)
{
    struct built_record record;
    struct run_source source = {.conf = send->conf,
                                .lines = send->lines,
                                .identity = &send->source.journal->identity,
                                .journal = send->source.journal,
                                .capture = &run->capture,
                                .ending = ending,
                                .dropped = send->source.dropped,
                                .inferred = 1};
    if (!sampling_keeps(send->conf, source.capture, ending, &source.probability))
        return 0;
    int error = run_record_build(&source, &record);
    if (error != 0)
        return error;
    error = send->give(send->context, &record);
    record_free(&record);
    *runs += error == 0;
    return error;
}

static int send_static_run(const struct coverage_send *send, const struct coverage_static *task,
                           uint64_t *runs)
{
    struct static_run run;
    int error = static_run_make(send->source.journal, task, &run);
    if (error != 0)
        return error;
    const struct ending ending =
        ending_find(&run.capture, 0, send->source.journal, send->source.now_ns);
    return give_run(send, &run, &ending, runs);
}

/* Units of static programs come first, by the number of their task in the journal, whatever the
 * others' programs are by now; then those of the coverage. */
static int is_wanted(const struct coverage_send *send, uint64_t number)
{
    uint64_t unit = send->first + number;
    return unit >= send->from && send->begin(send->context, unit);
}

static int send_facts(const struct coverage_send *send, const struct coverage *coverage)
{
    const struct coverage_record_source source = {send->conf, send->lines, send->source.journal,
                                                  coverage, send->source.dropped};
    int error = 0;
    for (size_t i = 0; error == 0 && i < coverage->fact_count; i += COVERAGE_RECORD_FACTS) {
        struct built_record record;
        if (!is_wanted(send, send->source.journal->task_count + i))
            continue;
        error = coverage_record_build(&source, i, &record);
        if (error != 0)
            break;
        error = send->give(send->context, &record);
        record_free(&record);
    }
    return error;
}

int coverage_send(const struct coverage_send *send, uint64_t *runs)
{
    struct coverage coverage;
    struct coverage_source source = send->source;
    source.blind = !send->begin(send->context, send->first - 1);
    int error = coverage_find(&source, &coverage);
    if (error != 0)
        return error;
    for (size_t i = 0; error == 0 && i < coverage.static_count; i++) {
        const struct coverage_static *one = &coverage.statics[i];
        if (is_wanted(send, (uint64_t)(one->task - send->source.journal->tasks)))
            error = send_static_run(send, one, runs);
    }
    if (error == 0 && send->conf->coverage)
        error = send_facts(send, &coverage);
    coverage_free(&coverage);
    return error;
}
