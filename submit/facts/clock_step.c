/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/clock_step.h"

#include <string.h>

#include "preload/ledger.h"

/* The journal's lines are as far apart from the run's start and end as it takes to write them. */
#define SLACK_NS INT64_C(1000000000)

static uint64_t size_of(int64_t step_ns)
{
    return step_ns < 0 ? (uint64_t)0 - (uint64_t)step_ns : (uint64_t)step_ns;
}

/* Whether the journal saw the clock set in the same direction, and as far. */
static bool is_confirmed(int64_t step_ns, const struct journal *journal)
{
    return journal != NULL && journal->is_clock_known &&
           (step_ns < 0) == (journal->clock_step_ns < 0) &&
           size_of(step_ns) <= size_of(journal->clock_step_ns) + (uint64_t)SLACK_NS;
}

/* Whether both clocks were as far apart in the journal's last line as at the run's start. */
static bool was_not_set(const struct capture *capture, const struct journal *journal)
{
    if (journal == NULL || !journal->is_clock_known || capture->misdated || capture->up_ns == 0 ||
        capture->up_ns > capture->start_ns)
        return false;
    uint64_t apart_ns = journal->apart_ns + (uint64_t)journal->clock_step_ns;
    int64_t step_ns = (int64_t)(apart_ns - (capture->start_ns - capture->up_ns));
    return size_of(step_ns) < LEDGER_CLOCK_STEP_NS;
}

struct clock_step clock_step_find(const struct capture *capture, const struct ending *ending,
                                  const struct journal *journal)
{
    struct clock_step step = {.run_ns = ending->end_ns - capture->start_ns};
    if (!capture->has_clock_step || strcmp(ending->source, "fini") != 0) {
        step.is_known = was_not_set(capture, journal);
        return step;
    }
    step.is_known = true;
    step.step_ns = capture->clock_step_ns;
    if (step.step_ns != 0 && is_confirmed(step.step_ns, journal))
        step.run_ns = capture->elapsed_ns;
    return step;
}
