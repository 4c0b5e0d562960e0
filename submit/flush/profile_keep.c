/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/profile_keep.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "preload/profile/profile_file.h"
#include "submit/flush/kept_profiles.h"
#include "submit/flush/profile_ends.h"
#include "submit/flush/profile_join.h"
#include "submit/flush/profile_tell.h"
#include "submit/flush/roots_notes.h"
#include "submit/flush/worker.h"
#include "submit/job/spool_read.h"
#include "submit/profile/profile_collect.h"
#include "submit/profile/set_file.h"
#include "submit/profile/symbol_names.h"
#include "submit/profile/tick_scale.h"

struct keeping {
    struct reading_request request; /* of the ends */
    struct profile_pair now;
    char boot[64];
    int from;
    struct kept_profiles kept;
    uint64_t unit;  /* 0: none has been begun */
    uint64_t bytes; /* written, in all */
    int error;      /* of the parent's own work */
};

/* A unit of the child's work is a step: its number plus 1. Those that the journal does not have are
 * the last one together. */
#define UNIT_OF(step) ((uint64_t)(step) + 1)
#define UNIT_OTHERS   UNIT_OF(UINT32_MAX)

/* What the child may take. */
enum { SILENCE_MS = 60000, CPU_S = 60 };

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
static int send_steps(const struct keeping *keeping, struct profile_content *content,
                      struct collect_facts *facts, struct worker_pipe *pipe)
{
    const struct journal *journal = keeping->request.journal;
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
        struct sending sending = {pipe, i < known ? UNIT_OF(first->step) : UNIT_OTHERS};
        error = send_step(&step, facts, i < known ? journal_find_step(journal, first->step) : NULL,
                          &sending);
    }
    return error;
}

/* In the child, as the user. */
static int collect(void *context, struct worker_pipe *pipe)
{
    const struct keeping *keeping = context;
    struct naming naming = {.names = {.debug = SYMBOL_NAMES_DEBUG}};
    struct collect_facts facts = {
        .node = keeping->request.identity->node, .end = end, .name = name, .context = &naming};
    struct profile_content content;
    int error = profile_read(keeping->from, keeping->request.conf->profile_bytes, &content);
    if (error != 0)
        return error;
    if (strcmp(keeping->boot, content.header.boot) == 0)
        facts.now = &keeping->now;
    error = profile_ends_read(&keeping->request, &naming.ends);
    if (error == 0)
        error = send_steps(keeping, &content, &facts, pipe);
    return error != 0 ? error : worker_send_last(pipe, "", 0); /* the process ends */
}

/* The child has come to another step, and says what is in its file. Returns 0 or -errno; -EPROTO
 * where that cannot be. */
static int next_step(struct keeping *keeping, const struct worker_message *message)
{
    struct profile_told told;
    uint32_t number = (uint32_t)(message->unit - 1);
    const struct journal_step *step =
        message->unit < UNIT_OTHERS ? journal_find_step(keeping->request.journal, number) : NULL;
    if (message->unit <= keeping->unit || (step == NULL && message->unit != UNIT_OTHERS) ||
        message->size != sizeof told)
        return -EPROTO;
    memcpy(&told, message->bytes, sizeof told);
    if (!profile_told_is_sound(&told))
        return -EPROTO;
    keeping->unit = message->unit;
    int error = kept_profile_end(&keeping->kept, 0);
    return error != 0 ? error : kept_profile_begin(&keeping->kept, step, &told);
}

/* What is kept is not larger than what it was made of may be. */
static enum worker_answer take(void *context, const struct worker_message *message)
{
    struct keeping *keeping = context;
    if (message->size == 0)
        return WORKER_GO_ON;
    if (message->size > keeping->request.conf->profile_bytes - keeping->bytes)
        return WORKER_NOT_BELIEVED;
    keeping->bytes += message->size;
    if (message->unit != keeping->unit)
        keeping->error = next_step(keeping, message);
    else
        keeping->error = kept_profile_write(&keeping->kept, message->bytes, message->size);
    if (keeping->error == -EPROTO)
        return WORKER_NOT_BELIEVED;
    return keeping->error == 0 ? WORKER_GO_ON : WORKER_ENOUGH;
}

static int run_child(struct keeping *keeping)
{
    enum worker_outcome outcome;
    const int keep[] = {keeping->from, keeping->request.ledger};
    const struct worker worker = {.uid = keeping->request.identity->uid,
                                  .gid = keeping->request.identity->gid,
                                  .keep = keep,
                                  .keep_count = sizeof keep / sizeof *keep,
                                  .sandbox = SANDBOX_READS,
                                  .work = collect,
                                  .take = take,
                                  .context = keeping,
                                  .silence_ms = SILENCE_MS,
                                  .cpu_ns = CPU_S * UINT64_C(1000000000)};
    int error = worker_run(&worker, &outcome);
    if (error == 0)
        error = keeping->error;
    return error != 0 ? error : outcome == WORKER_DONE ? 0 : -ECANCELED;
}

/* Makes the kept files of the user's one. Those of steps that are whole stay, whatever happens. */
static int keep_from(const struct flush_state *state, const struct reading_request *request,
                     int from)
{
    struct keeping keeping = {.request = *request, .now = tick_now(), .from = from};
    tick_boot(keeping.boot);
    int error = kept_profiles_open(state, request->journal, &keeping.kept);
    if (error == 0)
        error = kept_profile_end(&keeping.kept, run_child(&keeping));
    if (error == 0)
        error = profile_join(&keeping.kept);
    return kept_profiles_close(&keeping.kept, error);
}

int profile_keep(const struct flush_state *state, const struct journal *journal, int directory)
{
    struct roots_notes notes;
    uid_t uid = journal->identity.uid;
    if (state->conf->profile_directory[0] == '\0')
        return 0;
    CLEANUP_CLOSE int from = spool_open_users(directory, PROFILE_NAME, uid);
    if (from < 0)
        return from == -ENOENT ? 0 : from;
    CLEANUP_CLOSE int ledger = spool_open_users(directory, "ledger", uid);
    int error = roots_notes_read(state->spool, directory, &notes);
    if (error != 0)
        return error;
    const struct reading_request request = {.kind = READING_JOB,
                                            .conf = state->conf,
                                            .identity = &journal->identity,
                                            .journal = journal,
                                            .ledger = ledger < 0 ? -1 : ledger,
                                            .packages = -1,
                                            .looks = &notes.looks,
                                            .kernel = &notes.kernel,
                                            .now_ns = state->now_ns};
    error = keep_from(state, &request, from);
    roots_notes_free(&notes);
    return error;
}
