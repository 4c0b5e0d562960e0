/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/partition_events.h"

#include <errno.h>
#include <stdlib.h>

struct events {
    const struct partition_input *input;
    struct partition_event *event;
    size_t count;
};

struct span {
    uint64_t start_ns;
    uint64_t min_ns; /* known to live until then */
    uint64_t max_ns; /* may live until then */
};

static void add_event(struct events *events, uint64_t time_ns, enum partition_event_kind kind,
                      size_t index)
{
    events->event[events->count++] =
        (struct partition_event){.time_ns = time_ns, .index = (uint32_t)index, .kind = kind};
}

static uint64_t limit(uint64_t time_ns, const struct span *within)
{
    if (time_ns < within->start_ns)
        return within->start_ns;
    return time_ns < within->max_ns ? time_ns : within->max_ns;
}

/* What of a span is within another one; known is only what is within what is known of that. */
static struct span cut(const struct span *span, const struct span *within)
{
    uint64_t max_ns = span->max_ns > span->min_ns ? span->max_ns : span->min_ns;
    struct span cut = {.start_ns = limit(span->start_ns, within),
                       .min_ns = limit(span->min_ns, within),
                       .max_ns = limit(max_ns, within)};
    if (cut.min_ns > within->min_ns)
        cut.min_ns = within->min_ns;
    if (cut.min_ns < cut.start_ns)
        cut.min_ns = cut.start_ns;
    if (cut.max_ns < cut.min_ns)
        cut.max_ns = cut.min_ns;
    return cut;
}

static struct span span_of_job(const struct partition_input *input)
{
    uint64_t end_ns = input->end_ns > input->start_ns ? input->end_ns : input->start_ns;
    return (struct span){input->start_ns, end_ns, end_ns};
}

static struct span span_of_step(const struct partition_input *input, size_t index)
{
    const struct partition_step *step = &input->steps[index];
    struct span job = span_of_job(input), span = {step->start_ns, step->end_ns, step->end_ns};
    return cut(&span, &job);
}

static struct span span_of_task(const struct partition_input *input, size_t index)
{
    const struct partition_task *task = &input->tasks[index];
    struct span step = span_of_step(input, task->step);
    struct span span = {task->start_ns, task->end_ns, task->max_ns};
    return cut(&span, &step);
}

static struct span span_of_run(const struct partition_input *input, size_t index)
{
    const struct partition_run *run = &input->runs[index];
    struct span task = span_of_task(input, run->task);
    struct span span = {run->start_ns, run->min_ns, run->max_ns};
    return cut(&span, &task);
}

static void add_events_of_job(struct events *events)
{
    struct span job = span_of_job(events->input);
    for (size_t i = 0; i < events->input->pause_count; i++) {
        const struct partition_pause *pause = &events->input->pauses[i];
        struct span span = {pause->start_ns, pause->end_ns, pause->end_ns};
        span = cut(&span, &job);
        if (span.start_ns == span.max_ns)
            continue;
        add_event(events, span.start_ns, EVENT_PAUSE_BEGINS, 0);
        add_event(events, span.max_ns, EVENT_PAUSE_ENDS, 0);
    }
    for (size_t i = 0; i < events->input->midnight_count; i++)
        if (events->input->midnights[i] > job.start_ns && events->input->midnights[i] < job.max_ns)
            add_event(events, events->input->midnights[i], EVENT_MIDNIGHT, 0);
}

static void add_events_of_steps(struct events *events)
{
    for (size_t i = 0; i < events->input->step_count; i++) {
        struct span span = span_of_step(events->input, i);
        if (events->input->steps[i].is_batch || span.start_ns == span.max_ns)
            continue;
        add_event(events, span.start_ns, EVENT_STEP_BEGINS, i);
        add_event(events, span.max_ns, EVENT_STEP_ENDS, i);
    }
}

static void add_events_of_tasks(struct events *events)
{
    for (size_t i = 0; i < events->input->task_count; i++) {
        struct span span = span_of_task(events->input, i);
        if (span.start_ns == span.max_ns)
            continue;
        add_event(events, span.start_ns, EVENT_TASK_BEGINS, i);
        if (span.min_ns < span.max_ns)
            add_event(events, span.min_ns, EVENT_TASK_IN_DOUBT, i);
        add_event(events, span.max_ns, EVENT_TASK_ENDS, i);
    }
}

static void add_events_of_runs(struct events *events)
{
    for (size_t i = 0; i < events->input->run_count; i++) {
        const struct partition_run *run = &events->input->runs[i];
        if (run->task == SIZE_MAX || run->kind == PARTITION_WRAPPER ||
            events->input->tasks[run->task].is_follower)
            continue;
        struct span span = span_of_run(events->input, i);
        if (span.start_ns < span.min_ns) {
            add_event(events, span.start_ns, EVENT_RUN_BEGINS, i);
            add_event(events, span.min_ns, EVENT_RUN_IS_OVER, i);
        }
        if (span.min_ns < span.max_ns) {
            add_event(events, span.min_ns, EVENT_RUN_IN_DOUBT, i);
            add_event(events, span.max_ns, EVENT_RUN_ENDS, i);
        }
    }
}

static int compare_events(const void *a, const void *b)
{
    uint64_t first = ((const struct partition_event *)a)->time_ns;
    uint64_t second = ((const struct partition_event *)b)->time_ns;
    return (first > second) - (first < second);
}

int partition_events_make(const struct partition_input *input, struct partition_event **event,
                          size_t *count)
{
    struct events events = {.input = input};
    events.event = calloc(2 * input->step_count + 3 * input->task_count + 4 * input->run_count +
                              2 * input->pause_count + input->midnight_count + 1,
                          sizeof *events.event);
    if (events.event == NULL)
        return -ENOMEM;
    add_events_of_job(&events);
    add_events_of_steps(&events);
    add_events_of_tasks(&events);
    add_events_of_runs(&events);
    qsort(events.event, events.count, sizeof *events.event, compare_events);
    *event = events.event;
    *count = events.count;
    return 0;
}
