/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/flush/profile_steps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/base/grow.h"
#include "contrib/profile/flush/profile_ends.h"
#include "contrib/profile/flush/profile_logs.h"
#include "contrib/profile/profile_collect.h"
#include "contrib/profile/record/profile_tell.h"
#include "contrib/profile/sample_file.h"
#include "contrib/profile/set_file.h"
#include "contrib/profile/symbol_names.h"

struct naming {
    struct profile_ends ends;
    struct symbol_names names;
    struct step_samples *samples;
    struct profile_runs *runs; /* of the step */
};

static const char *name(void *context, const struct profiled_object *object, uint64_t address)
{
    struct naming *naming = context;
    return symbol_name(&naming->names, object, address);
}

static struct collect_end end(void *context, const struct profiled_process *process)
{
    const struct naming *naming = context;
    return profile_ends_find(&naming->ends, process);
}

/* The samples of a step's ranks, by their number in the set. */
struct step_samples {
    struct rank_samples *rank; /* owned */
    size_t count, room;
};

static int add_samples(void *context, size_t rank, const struct profile_sample *samples,
                       size_t count, uint64_t interval_ns)
{
    struct naming *naming = context;
    struct step_samples *all = naming->samples;
    int error = GROW_TO(all->rank, all->room, rank + 1);
    if (error != 0)
        return error;
    for (; all->count <= rank; all->count++)
        all->rank[all->count] = (struct rank_samples){.count = 0};
    struct rank_samples *own = &all->rank[rank];
    struct profile_sample *larger =
        reallocarray(own->sample, own->count + count, sizeof *own->sample);
    if (larger == NULL)
        return -ENOMEM;
    own->sample = larger;
    memcpy(own->sample + own->count, samples, count * sizeof *samples);
    own->count += count;
    own->interval_ns = interval_ns > own->interval_ns ? interval_ns : own->interval_ns;
    return 0;
}

static int note_run(void *context, size_t rank, const struct profiled_process *process)
{
    const struct naming *naming = context;
    return profile_runs_note(naming->runs, rank, process);
}

static int put_to_memory(void *context, const void *bytes, size_t size)
{
    return fwrite(bytes, 1, size, context) == size ? 0 : -ENOMEM;
}

/* Sends the file of a rank, unless that would make more than may be kept. */
static int send_rank(const struct profile_set *set, size_t rank, struct rank_samples *samples,
                     uint64_t unit, struct profile_sending *sending)
{
    CLEANUP_FREE char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (memory == NULL)
        return -ENOMEM;
    const struct set_file_sink sink = {.put = put_to_memory, .context = memory};
    int error = sample_file_write_to(&sink, set, &set->ranks[rank], samples);
    if (fclose(memory) != 0 && error == 0)
        error = -ENOMEM;
    return error != 0 ? error : profile_send_file(sending, unit, text, size);
}

/* Of ranks of one number the first one's. */
static int send_samples(const struct profile_set *set, struct step_samples *samples,
                        const struct ranks_wanted *wanted, uint32_t step,
                        struct profile_sending *sending)
{
    size_t *order_at = NULL;
    int error = profile_set_rank_order(set, &order_at);
    CLEANUP_FREE size_t *order = order_at;
    uint32_t next = 0;
    for (size_t i = 0; error == 0 && i < set->rank_count; i++) {
        uint32_t number = profile_rank_number(&set->ranks[order[i]]);
        if (number < next || number >= PROFILE_UNIT_RANKS || order[i] >= samples->count ||
            samples->rank[order[i]].count == 0 || !ranks_wanted_has(wanted, number))
            continue;
        next = number + 1;
        error = send_rank(set, order[i], &samples->rank[order[i]],
                          PROFILE_UNIT(step, KEPT_SAMPLES, number), sending);
    }
    return error;
}

static int by_step(const void *left, const void *right)
{
    const struct profiled_process *a = left, *b = right;
    return (a->step > b->step) - (a->step < b->step);
}

/* Puts processes of steps that the journal has first, by step. Returns how many these are. */
static size_t order_by_step(const struct journal *journal, struct profile_content *content)
{
    size_t known = 0;
    for (size_t i = 0; i < content->process_count; i++) {
        struct profiled_process process = content->processes[i];
        if (journal_find_step(journal, process.step) == NULL)
            continue;
        content->processes[i] = content->processes[known];
        content->processes[known++] = process;
    }
    if (known > 0)
        qsort(content->processes, known, sizeof *content->processes, by_step);
    return known;
}

/* Ahead of the file: what its records are to tell. */
static int send_told(const struct profile_set *set, struct profile_runs *runs,
                     struct profile_sending *sending)
{
    struct profile_told told[PROFILE_TOLD_PROGRAMS];
    size_t count;
    int error = profile_tell(set, runs, told, &count);
    return error != 0 ? error : profile_send(sending, told, count * sizeof *told);
}

/* 0: not known. The batch step has none in the journal. */
static uint32_t nodes_of(const struct journal_step *step)
{
    return step == NULL ? 0 : step->nodes == 0 ? 1 : step->nodes;
}

static int send_set(const struct reading_request *request, struct profile_content *content,
                    struct collect_facts *facts, struct profile_sending *sending, uint32_t step)
{
    const struct set_file_sink sink = {.put = profile_send, .context = sending};
    struct naming *naming = facts->context;
    struct step_samples samples = {.count = 0};
    struct profile_runs runs = {.count = 0};
    const struct journal_step *known = journal_find_step(request->journal, step);
    const struct ranks_wanted logs = ranks_wanted_of(request->conf->profile_logs, known);
    const struct ranks_wanted sampled = ranks_wanted_of(request->conf->profile_samples, known);
    struct profile_set set;
    naming->samples = &samples;
    naming->runs = &runs;
    facts->step_nodes = nodes_of(known);
    sending->unit = PROFILE_UNIT_SET(step);
    int error = profile_set_begin(&set);
    if (error == 0)
        error = profile_collect(content, facts, &set);
    if (error == 0 && set.rank_count > 0)
        error = send_told(&set, &runs, sending);
    if (error == 0 && set.rank_count > 0)
        error = set_file_write_to(&sink, &set);
    if (error == 0 && set.rank_count > 0)
        error = profile_logs_send(&set, &logs, step, sending);
    if (error == 0)
        error = send_samples(&set, &samples, &sampled, step, sending);
    for (size_t i = 0; i < samples.count; i++)
        free(samples.rank[i].sample);
    free(samples.rank);
    free(runs.run);
    profile_set_free(&set);
    return error;
}

/* What is damaged in the file is told once, with the first step. */
static int send_steps(const struct profile_steps *steps, struct profile_content *content,
                      struct collect_facts *facts, struct profile_sending *sending)
{
    size_t known = order_by_step(steps->request->journal, content);
    int error = 0;
    for (size_t i = 0, next; error == 0 && i < content->process_count; i = next) {
        struct profiled_process *first = &content->processes[i];
        for (next = i + 1; next < known && content->processes[next].step == first->step;)
            next++;
        if (i >= known)
            next = content->process_count;
        struct profile_content step = {.header = content->header,
                                       .processes = first,
                                       .process_count = next - i,
                                       .damaged = i == 0 ? content->damaged : 0};
        error =
            send_set(steps->request, &step, facts, sending, i < known ? first->step : UINT32_MAX);
    }
    return error;
}

static int end_steps(struct worker_pipe *pipe, int error)
{
    const char *word = error == -ENOMEM ? PROFILE_STEPS_LARGE : "";
    return error == 0 || error == -ENOMEM ? worker_send_last(pipe, word, strlen(word)) : error;
}

int profile_steps_send(const struct profile_steps *steps, struct worker_pipe *pipe)
{
    struct naming naming = {.names = {.debug = SYMBOL_NAMES_DEBUG}};
    struct collect_facts facts = {.node = steps->request->identity->node,
                                  .job = steps->request->identity->job,
                                  .end = end,
                                  .name = name,
                                  .taken = note_run,
                                  .context = &naming};
    struct profile_content content;
    int error = profile_read(steps->from, steps->request->conf->profile_bytes, &content);
    if (error == -EINVAL || (error == 0 && content.process_count == 0 && content.damaged > 0))
        return worker_send_last(pipe, PROFILE_STEPS_NONE, strlen(PROFILE_STEPS_NONE));
    if (error != 0)
        return end_steps(pipe, error);
    struct profile_sending sending = {.pipe = pipe, .most = steps->request->conf->profile_bytes};
    if (strcmp(steps->request->conf->profile_samples, "none") != 0)
        facts.sampled = add_samples;
    if (strcmp(steps->boot, content.header.boot) == 0)
        facts.now = &steps->now;
    error = profile_ends_read(steps->request, &naming.ends);
    if (error == 0)
        error = send_steps(steps, &content, &facts, &sending);
    return end_steps(pipe, error); /* the process ends */
}
