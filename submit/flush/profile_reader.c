/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/profile_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "submit/flush/kept_file.h"
#include "submit/flush/profile_ends.h"
#include "submit/flush/profile_tell.h"
#include "submit/profile/profile_collect.h"
#include "submit/profile/set_file.h"
#include "submit/profile/symbol_names.h"

struct naming {
    struct profile_ends ends;
    struct symbol_names names;
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

/* The pipe, and what a message is of. */
struct sending {
    struct worker_pipe *pipe;
    uint64_t unit;
};

static int send(void *context, const void *bytes, size_t size)
{
    const struct sending *sending = context;
    return kept_file_send(sending->pipe, sending->unit, bytes, size);
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

/* Ahead of the file: what its record is to tell. */
static int send_told(const struct profile_set *set, struct sending *sending)
{
    struct profile_told told;
    int error = profile_tell(set, &told);
    return error != 0 ? error : send(sending, &told, sizeof told);
}

static int send_step(struct profile_content *content, struct collect_facts *facts,
                     const struct journal_step *step, struct sending *sending)
{
    const struct set_file_sink sink = {.put = send, .context = sending};
    struct profile_set set;
    facts->step_nodes = step == NULL ? 0 : step->nodes == 0 ? 1 : step->nodes;
    int error = profile_set_begin(&set);
    if (error == 0)
        error = profile_collect(content, facts, &set);
    if (error == 0 && set.rank_count > 0)
        error = send_told(&set, sending);
    if (error == 0 && set.rank_count > 0)
        error = set_file_write_to(&sink, &set);
    profile_set_free(&set);
    return error;
}

/* What is damaged in the file is told once, with the first step. */
static int send_steps(const struct profile_reader *reader, struct profile_content *content,
                      struct collect_facts *facts, struct worker_pipe *pipe)
{
    const struct journal *journal = reader->request->journal;
    size_t known = order_by_step(journal, content);
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
        struct sending sending = {pipe,
                                  i < known ? PROFILE_UNIT_OF(first->step) : PROFILE_UNIT_OTHERS};
        error = send_step(&step, facts, i < known ? journal_find_step(journal, first->step) : NULL,
                          &sending);
    }
    return error;
}

int profile_reader_run(const struct profile_reader *reader, struct worker_pipe *pipe)
{
    struct naming naming = {.names = {.debug = SYMBOL_NAMES_DEBUG}};
    struct collect_facts facts = {
        .node = reader->request->identity->node, .end = end, .name = name, .context = &naming};
    struct profile_content content;
    int error = profile_read(reader->from, reader->request->conf->profile_bytes, &content);
    if (error == -EINVAL || (error == 0 && content.process_count == 0 && content.damaged > 0))
        return worker_send_last(pipe, PROFILE_READER_NONE, strlen(PROFILE_READER_NONE));
    if (error != 0)
        return error;
    if (strcmp(reader->boot, content.header.boot) == 0)
        facts.now = &reader->now;
    error = profile_ends_read(reader->request, &naming.ends);
    if (error == 0)
        error = send_steps(reader, &content, &facts, pipe);
    return error != 0 ? error : worker_send_last(pipe, "", 0); /* the process ends */
}
