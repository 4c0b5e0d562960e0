/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/profile_steps.h"

#include <stdlib.h>
#include <string.h>

#include "submit/flush/profile_ends.h"
#include "submit/flush/profile_tell.h"
#include "submit/profile/profile_collect.h"
#include "submit/profile/set_file.h"
#include "submit/profile/symbol_names.h"

enum { MESSAGE_BYTES = 1 << 20 };

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
    int error = 0;
    for (size_t at = 0; error == 0 && at < size; at += MESSAGE_BYTES) {
        struct iovec part = {(char *)(uintptr_t)bytes + at,
                             size - at < MESSAGE_BYTES ? size - at : MESSAGE_BYTES};
        error = worker_send(sending->pipe, sending->unit, &part, 1);
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

/* Ahead of the file: what its record is to tell. */
static int send_told(const struct profile_set *set, struct sending *sending)
{
    struct profile_told told;
    int error = profile_tell(set, &told);
    return error != 0 ? error : send(sending, &told, sizeof told);
}

static int send_step(struct profile_content *content, const struct collect_facts *facts,
                     struct sending *sending)
{
    const struct set_file_sink sink = {.put = send, .context = sending};
    struct profile_set set;
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
static int send_steps(const struct profile_steps *steps, struct profile_content *content,
                      const struct collect_facts *facts, struct worker_pipe *pipe)
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
        struct sending sending = {pipe,
                                  i < known ? PROFILE_UNIT_OF(first->step) : PROFILE_UNIT_OTHERS};
        error = send_step(&step, facts, &sending);
    }
    return error;
}

int profile_steps_send(const struct profile_steps *steps, struct worker_pipe *pipe)
{
    const struct reading_request *request = steps->request;
    struct naming naming = {.names = {.debug = SYMBOL_NAMES_DEBUG}};
    struct collect_facts facts = {
        .node = request->identity->node, .end = end, .name = name, .context = &naming};
    struct profile_content content;
    int error = profile_read(steps->from, request->conf->profile_bytes, &content);
    if (error != 0)
        return error;
    if (strcmp(steps->boot, content.header.boot) == 0)
        facts.now = &steps->now;
    error = profile_ends_read(request, &naming.ends);
    if (error == 0)
        error = send_steps(steps, &content, &facts, pipe);
    return error != 0 ? error : worker_send_last(pipe, "", 0); /* the process ends */
}
