/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/flush/profile_steps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/grow.h"
#include "conf/base/number_list.h"
#include "contrib/profile/flush/profile_ends.h"
#include "contrib/profile/profile_collect.h"
#include "contrib/profile/profile_log.h"
#include "contrib/profile/record/profile_tell.h"
#include "contrib/profile/routine_log.h"
#include "contrib/profile/sample_file.h"
#include "contrib/profile/set_file.h"
#include "contrib/profile/symbol_names.h"

/* Of one message. */
enum { MESSAGE_BYTES = 1 << 20 };

struct sending {
    struct worker_pipe *pipe;
    uint64_t unit;  /* what a message is of */
    uint64_t bytes; /* that were sent */
    uint64_t most;  /* no file beside a set is sent with which there would be more */
};

static int send_bytes(void *context, const void *bytes, size_t size)
{
    struct sending *sending = context;
    int error = 0;
    sending->bytes += size;
    for (size_t at = 0; error == 0 && at < size; at += MESSAGE_BYTES) {
        struct iovec part = {(char *)(uintptr_t)bytes + at,
                             size - at < MESSAGE_BYTES ? size - at : MESSAGE_BYTES};
        error = worker_send(sending->pipe, sending->unit, &part, 1);
    }
    return error;
}

/* Begins the set of a step by what its records are to tell. */
static int send_told(struct sending *sending, uint32_t step, const struct profile_told *told,
                     size_t count)
{
    const size_t size = count * sizeof *told;
    const struct iovec part = {(void *)(uintptr_t)told, size};
    sending->unit = KEPT_UNIT_SET(step);
    sending->bytes += size;
    return worker_send(sending->pipe, sending->unit, &part, 1);
}

/* ---- Files beside a set ---------------------------------------------------------------------- */

/* A text that gets no longer than `most` bytes: what is printed follows what users have written. */
struct bounded_text {
    char *text; /* owned */
    size_t size, room;
    uint64_t most;
    bool is_full;
};

static struct bounded_text bounded_text(const struct sending *sending)
{
    return (struct bounded_text){
        .most = sending->bytes < sending->most ? sending->most - sending->bytes : 0};
}

static int put_text(void *context, const void *bytes, size_t size)
{
    struct bounded_text *text = context;
    text->is_full |= size > text->most - text->size;
    if (text->is_full)
        return 0;
    int error = GROW_TO(text->text, text->room, text->size + size);
    if (error != 0)
        return error;
    memcpy(text->text + text->size, bytes, size);
    text->size += size;
    return 0;
}

static ssize_t print_text(void *context, const char *bytes, size_t size)
{
    return put_text(context, bytes, size) == 0 ? (ssize_t)size : 0;
}

/* Sends the text as a file, or nothing where it is too long; releases it. Returns that error, or
 * its own. */
static int send_text(struct sending *sending, uint64_t unit, struct bounded_text *text, int error)
{
    if (error == 0 && !text->is_full) {
        sending->unit = unit;
        error = send_bytes(sending, text->text, text->size);
    }
    free(text->text);
    return text->is_full ? 0 : error;
}

/* As `jobtrail-profile show` prints it, and `show --mpi` where calls of routines were counted.
 * `is_taken` NULL: the summary. */
static int send_log(const struct profile_log *log, const struct set_programs *programs,
                    const bool *is_taken, uint64_t unit, struct sending *sending)
{
    struct bounded_text text = bounded_text(sending);
    FILE *to = fopencookie(&text, "w", (cookie_io_functions_t){.write = print_text});
    if (to == NULL)
        return -ENOMEM;
    struct program_logs logs = {log, programs, to, is_taken == NULL};
    size_t untold = 0;
    int error = program_logs_print(&logs, is_taken, false, &untold);
    if (error == 0 && routine_log_has_rows(log->set, is_taken))
        error = program_logs_print(&logs, is_taken, true, &untold);
    if (fclose(to) != 0 && error == 0)
        error = -ENOMEM;
    return send_text(sending, unit, &text, error);
}

/* Of which ranks files are kept: lists (conf/base/number_list.h). */
struct ranks_wanted {
    const char *site, *user; /* user: "" = all that the site says */
};

/* Of this step's ranks; `step` NULL: the user said nothing. */
static struct ranks_wanted ranks_wanted_of(const char *site, const struct journal_step *step)
{
    return (struct ranks_wanted){site, step == NULL ? "" : step->profile_ranks};
}

static bool is_wanted(const struct ranks_wanted *wanted, uint32_t rank)
{
    return rank < KEPT_UNIT_RANKS && number_list_has(wanted->site, rank) &&
           (wanted->user[0] == '\0' || number_list_has(wanted->user, rank));
}

/* Ranks of one number have one log. */
static int send_rank_logs(const struct profile_log *log, const struct set_programs *programs,
                          const struct ranks_wanted *wanted, uint32_t step, struct sending *sending)
{
    const struct profile_set *set = log->set;
    size_t *order_at = NULL;
    int error = profile_set_rank_order(set, &order_at);
    CLEANUP_FREE size_t *order = order_at;
    CLEANUP_FREE bool *is_taken = calloc(set->rank_count + 1, sizeof *is_taken);
    if (error != 0 || is_taken == NULL)
        return -ENOMEM;
    for (size_t i = 0, next; error == 0 && i < set->rank_count; i = next) {
        uint32_t number = profile_rank_number(&set->ranks[order[i]]);
        for (next = i;
             next < set->rank_count && profile_rank_number(&set->ranks[order[next]]) == number;
             next++)
            is_taken[order[next]] = true;
        if (is_wanted(wanted, number))
            error = send_log(log, programs, is_taken,
                             KEPT_UNIT(step, KEPT_LOG, number * KEPT_UNIT_PROGRAMS), sending);
        for (size_t j = i; j < next; j++)
            is_taken[order[j]] = false;
    }
    return error;
}

static int send_logs(struct profile_set *set, const struct ranks_wanted *wanted, uint32_t step,
                     struct sending *sending)
{
    struct set_order order;
    struct set_programs programs;
    if (strcmp(wanted->site, "none") == 0)
        return 0;
    int error = set_order_make(set, &order);
    int unfound = set_programs_find(set, &programs);
    const struct profile_log log = {set, &order, SORT_EXCLUSIVE, false, NULL};
    if (error == 0)
        error = unfound;
    if (error == 0)
        error = send_log(&log, &programs, NULL, KEPT_UNIT(step, KEPT_SUMMARY, 0), sending);
    if (error == 0)
        error = send_rank_logs(&log, &programs, wanted, step, sending);
    set_programs_free(&programs);
    set_order_free(&order);
    return error;
}

/* The samples of a step's ranks, by their number in the set. */
struct step_samples {
    struct rank_samples *rank; /* owned */
    size_t count, room;
};

static void free_samples(struct step_samples *samples)
{
    for (size_t i = 0; i < samples->count; i++)
        free(samples->rank[i].sample);
    free(samples->rank);
}

/* Ranks of several programs have one number. */
static int send_samples(const struct profile_set *set, struct step_samples *samples,
                        const struct ranks_wanted *wanted, uint32_t step, struct sending *sending)
{
    size_t *order_at = NULL;
    int error = profile_set_rank_order(set, &order_at);
    CLEANUP_FREE size_t *order = order_at;
    uint32_t last = UINT32_MAX, program = 0;
    for (size_t i = 0; error == 0 && i < set->rank_count; i++) {
        const struct profile_rank *rank = &set->ranks[order[i]];
        uint32_t number = profile_rank_number(rank);
        if (!is_wanted(wanted, number) || order[i] >= samples->count ||
            samples->rank[order[i]].count == 0)
            continue;
        program = number == last ? program + 1 : 0;
        last = number;
        if (program >= KEPT_UNIT_PROGRAMS)
            continue;
        struct bounded_text text = bounded_text(sending);
        const struct set_file_sink sink = {.put = put_text, .context = &text};
        error = sample_file_write_to(&sink, set, rank, &samples->rank[order[i]]);
        error =
            send_text(sending, KEPT_UNIT(step, KEPT_SAMPLES, number * KEPT_UNIT_PROGRAMS + program),
                      &text, error);
    }
    return error;
}

/* ---- Of the file that processes left --------------------------------------------------------- */

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

static int send_set(const struct reading_request *request, struct profile_content *content,
                    struct collect_facts *facts, struct sending *sending, uint32_t step)
{
    const struct set_file_sink sink = {.put = send_bytes, .context = sending};
    struct naming *naming = facts->context;
    struct step_samples samples = {.count = 0};
    struct profile_runs runs = {.count = 0};
    struct profile_told told[PROFILE_TOLD_PROGRAMS];
    size_t count;
    const struct journal_step *known = journal_find_step(request->journal, step);
    const struct ranks_wanted logs = ranks_wanted_of(request->conf->profile_logs, known);
    const struct ranks_wanted sampled = ranks_wanted_of(request->conf->profile_samples, known);
    struct profile_set set;
    naming->samples = &samples;
    naming->runs = &runs;
    /* 0: not known. The batch step has none in the journal. */
    facts->step_nodes = known == NULL ? 0 : known->nodes == 0 ? 1 : known->nodes;
    int error = profile_set_begin(&set);
    if (error == 0)
        error = profile_collect(content, facts, &set);
    if (error == 0 && set.rank_count > 0) {
        error = profile_tell(&set, &runs, told, &count);
        if (error == 0)
            error = send_told(sending, step, told, count);
        if (error == 0)
            error = set_file_write_to(&sink, &set);
        if (error == 0)
            error = send_logs(&set, &logs, step, sending);
        if (error == 0)
            error = send_samples(&set, &samples, &sampled, step, sending);
    }
    free_samples(&samples);
    free(runs.run);
    profile_set_free(&set);
    return error;
}

/* What is damaged in the file is reported once, with the first step. */
static int send_steps(const struct profile_steps *steps, struct profile_content *content,
                      struct collect_facts *facts, struct sending *sending)
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
    struct sending sending = {.pipe = pipe, .most = steps->request->conf->profile_bytes};
    if (strcmp(steps->request->conf->profile_samples, "none") != 0)
        facts.sampled = add_samples;
    if (strcmp(steps->boot, content.header.boot) == 0)
        facts.now = &steps->now;
    error = profile_ends_read(steps->request, &naming.ends);
    if (error == 0)
        error = send_steps(steps, &content, &facts, &sending);
    free(naming.ends.captured);
    return end_steps(pipe, error); /* the process ends */
}

/* ---- Of files of nodes ----------------------------------------------------------------------- */

/* The user may write to the file at any time. */
static int add_part(int place, const struct kept_name *file, struct profile_set *set)
{
    struct profile_set part;
    struct stat status;
    CLEANUP_CLOSE int fd =
        openat(place, file->name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &status) != 0)
        return -errno;
    int error = (uint64_t)status.st_size == file->bytes ? set_file_read(fd, &part) : -ESTALE;
    return error != 0 ? error : profile_set_merge(set, &part);
}

int profile_parts_send(const struct profile_parts *parts, struct worker_pipe *pipe)
{
    const uint32_t step = parts->step->step;
    const struct ranks_wanted wanted = ranks_wanted_of(parts->conf->profile_logs, parts->step);
    struct sending sending = {.pipe = pipe};
    const struct set_file_sink sink = {.put = send_bytes, .context = &sending};
    struct profile_set set;
    size_t repeated;
    int error = profile_set_begin(&set);
    for (size_t i = 0; error == 0 && i < parts->count; i++)
        error = add_part(parts->place, parts->part[i], &set);
    if (error == 0)
        error = profile_set_drop_repeated(&set, &repeated);
    if (error == 0)
        error = send_told(&sending, step, NULL, 0);
    if (error == 0)
        error = set_file_write_to(&sink, &set);
    sending.most = sending.bytes + parts->conf->profile_bytes;
    if (error == 0)
        error = send_logs(&set, &wanted, step, &sending);
    return error != 0 ? error : worker_send_last(pipe, "", 0); /* the process ends */
}
