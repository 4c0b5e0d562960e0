/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/flush.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/clocks.h"
#include "spank/spool_part.h"
#include "spank/spool_path.h"
#include "submit/flush/flush_job.h"
#include "submit/flush/job_progress.h"
#include "submit/flush/sessions.h"
#include "submit/job/spool_remove.h"
#include "submit/outbox/outbox_send.h"

/* Those that took too long come last, the one first whose turn is the longest ago. */
static int by_turn(const void *left, const void *right, void *spool)
{
    const struct spool_job *a = left, *b = right;
    int64_t turn_a = job_progress_time(*(const int *)spool, a->name);
    int64_t turn_b = job_progress_time(*(const int *)spool, b->name);
    if (turn_a != turn_b)
        return turn_a < turn_b ? -1 : 1;
    if (a->job != b->job)
        return a->job < b->job ? -1 : 1;
    return a->restart < b->restart ? -1 : a->restart > b->restart;
}

/* The timer, which has more to do, waits for those that are left over: as long as for one job. */
static int flush_all(struct flush_state *state)
{
    uint64_t end_ns = clock_deadline(state->conf->job_timeout_s * UINT64_C(1000));
    struct spool_jobs jobs;
    size_t i = 0;
    if (!state->options->dry_run)
        spool_sweep(state->spool, state->now_ns);
    int error = spool_list(state->spool, state->options->job, &jobs);
    if (error != 0)
        return error;
    if (jobs.count > 0)
        qsort_r(jobs.job, jobs.count, sizeof *jobs.job, by_turn, &state->spool);
    while (i < jobs.count && !state->is_queued &&
           (!state->options->orphans || clock_left_ms(end_ns) > 0))
        flush_job(state, &jobs.job[i++]);
    if (i < jobs.count)
        fprintf(stderr, "jobtrail-submit: out of time: %zu jobs are left for the next flush\n",
                jobs.count - i);
    state->count->failed += jobs.count - i;
    free(jobs.job);
    return 0;
}

/* Those whose flushes have ended while this one went on: until none is left that gets on. */
static int flush_queued(struct flush_state *state)
{
    const struct flush_options *asked = state->options;
    const struct flush_options orphans = {.node = asked->node, .orphans = 1};
    uint64_t jobs, running = state->count->running;
    int error;
    state->options = &orphans;
    do {
        jobs = state->count->jobs;
        error = flush_all(state);
    } while (error == 0 && state->count->jobs > jobs);
    state->options = asked;
    state->count->running = running;
    return error;
}

/* The epilog waits for us: what takes longer is left to the timer and to the next flush. Returns
 * whether anything was sent. */
static bool send_records(const struct flush_state *state)
{
    struct outbox_sent sent;
    const struct outbox_send_options options = {
        .deadline_ns = clock_deadline(state->conf->epilog_timeout_s * UINT64_C(750))};
    int error = outbox_send(state->conf, &options, &sent);
    if (error != 0)
        fprintf(stderr, "jobtrail-submit: outbox: %s\n", strerror(-error));
    state->count->refused += sent.refused;
    state->count->waiting = sent.waiting;
    return sent.accepted > 0;
}

/* Whether what found no room may be tried again. */
static bool may_go_round(struct flush_state *state, uint64_t end_ns)
{
    if (state->without_room == 0 || clock_left_ms(end_ns) == 0)
        return 0;
    state->job_ns = end_ns;
    return clock_left_ms(state->wait_ns) > 0 || flush_more_time(state) != 0;
}

/* Where sessions are flushed, there may be none. Returns 0 or -errno. */
static int open_spool(struct flush_state *state)
{
    char path[PATH_MAX];
    int error = spool_expand(state->conf->spool, state->options->node, path, sizeof path);
    if (error != 0)
        return error;
    state->spool = spool_open_node(path);
    if (state->options->sessions)
        return 0;
    if (state->spool < 0)
        return state->spool;
    if (spool_part_noted(state->spool) != -ESTALE)
        return 0;
    close(state->spool);
    return -ESTALE;
}

int flush_run(const struct conf *conf, const struct flush_options *options,
              struct flush_count *count)
{
    struct flush_state state = {
        .conf = conf,
        .options = options,
        .now_ns = clock_ns(CLOCK_REALTIME),
        .count = count,
        .wait_ns = clock_deadline(conf->epilog_timeout_s * UINT64_C(1000)),
        .slot = -1,
    };
    *count = (struct flush_count){0};
    int error = open_spool(&state);
    if (error != 0)
        return error == -ENOENT ? 0 : error; /* no job has run here */
    uint64_t end_ns = clock_deadline(conf->job_timeout_s * UINT64_C(1000));
    bool is_timer = options->orphans && options->job == 0; /* it has looked at all jobs */
    bool is_sent;
    do { /* what is sent makes room for the rest of a job that found none */
        state.without_room = 0;
        holdings_free(&state.holdings);
        state.is_held = false;
        error = options->dry_run ? 0 : outbox_open(conf, &state.outbox);
        if (error != 0)
            break;
        error = options->sessions ? sessions_flush(conf, options->node, state.outbox, count)
                                  : flush_all(&state);
        if (error == 0 && state.slot >= 0 && !is_timer)
            error = flush_queued(&state);
        if (!options->dry_run)
            outbox_close(state.outbox);
        is_sent = !options->dry_run && send_records(&state);
    } while (error == 0 && is_sent && may_go_round(&state, end_ns));
    holdings_free(&state.holdings);
    count->overflowed += state.without_room;
    count->failed += state.without_room;
    if (state.spool >= 0)
        close(state.spool);
    if (state.slot >= 0)
        close(state.slot);
    return error;
}
