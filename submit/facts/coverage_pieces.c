/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/coverage_pieces.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/grow.h"

static bool is_same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

void coverage_pieces_add(struct coverage_pieces *pieces, const struct coverage_piece *piece)
{
    struct coverage_piece *last = pieces->count == 0 ? NULL : &pieces->piece[pieces->count - 1];
    if (last != NULL && last->index == piece->index && last->outcome == piece->outcome &&
        last->day == piece->day && last->step == piece->step && piece->index != SIZE_MAX &&
        is_same_text(last->program, piece->program)) {
        last->core_seconds += piece->core_seconds;
        last->runs += piece->runs;
        return;
    }
    if (GROW(pieces->piece, pieces->count) != 0) {
        pieces->failed = true;
        return;
    }
    pieces->piece[pieces->count++] = *piece;
}

/* ---- Tasks ----------------------------------------------------------------------------------- */

static int order_of(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int by_task(const void *left, const void *right)
{
    const struct coverage_piece *a = left, *b = right;
    if (a->index != b->index)
        return order_of(a->index, b->index);
    if (a->outcome != b->outcome)
        return order_of(a->outcome, b->outcome);
    return order_of(a->day, b->day);
}

/* What only its runs could have had of a task's time. */
static double uncertain_seconds(const struct coverage_piece *piece, size_t count)
{
    double seconds = 0;
    for (size_t i = 0; i < count; i++) {
        if (piece[i].outcome == COVERAGE_UNCERTAIN)
            seconds += piece[i].core_seconds;
    }
    return seconds;
}

/* Those of one task, `count` of them. */
static void count_task(struct coverage_piece *piece, size_t count)
{
    const double uncertain = uncertain_seconds(piece, count);
    struct coverage_piece *most = piece;
    double most_seconds = -1;
    for (size_t i = 0, end; i < count; i = end) {
        double seconds = 0;
        uint64_t runs = 0;
        for (end = i; end < count && piece[end].outcome == piece[i].outcome; end++) {
            seconds += piece[end].core_seconds;
            runs += piece[end].runs;
        }
        if (runs > 0)
            seconds += uncertain; /* a late end makes no task one without a record */
        if (piece[i].outcome == COVERAGE_LAUNCH)
            seconds = -0.5; /* its program is what counts, however short it was */
        if (seconds > most_seconds) {
            most_seconds = seconds;
            most = &piece[i];
        }
    }
    most->tasks = 1;
}

/* ---- Facts ----------------------------------------------------------------------------------- */

static int compare_facts(const struct coverage_piece *a, const struct coverage_piece *b)
{
    if (a->step != b->step)
        return order_of(a->step, b->step);
    if (a->outcome != b->outcome)
        return order_of(a->outcome, b->outcome);
    if (a->leader != b->leader)
        return order_of(a->leader, b->leader);
    int order = strcmp(a->program == NULL ? "" : a->program, b->program == NULL ? "" : b->program);
    return order != 0 ? order : order_of(a->day, b->day);
}

static int by_fact(const void *left, const void *right)
{
    const struct coverage_piece *a = left, *b = right;
    int order = compare_facts(a, b);
    if (order == 0)
        order = order_of(a->index, b->index);
    return order != 0 ? order : order_of(a->start_ns, b->start_ns);
}

static void add_piece(struct coverage_fact *fact, const struct coverage_piece *piece)
{
    bool has_task = fact->tasks > 0;
    if (piece->tasks > 0 && (!has_task || piece->task < fact->first_task))
        fact->first_task = piece->task;
    fact->tasks += piece->tasks;
    fact->runs += piece->runs;
    fact->core_seconds += piece->core_seconds;
    if (piece->start_ns < fact->start_ns)
        fact->start_ns = piece->start_ns;
    if (piece->end_ns > fact->end_ns)
        fact->end_ns = piece->end_ns;
}

/* Of the `count` pieces of one fact. */
static struct coverage_fact make_fact(const struct coverage_piece *piece, size_t count)
{
    struct coverage_fact fact = {.outcome = piece->outcome,
                                 .step = piece->step,
                                 .leader = piece->leader,
                                 .first_task = piece->task,
                                 .day = piece->day,
                                 .start_ns = piece->start_ns,
                                 .program = piece->program};
    for (size_t i = 0; i < count; i++)
        add_piece(&fact, &piece[i]);
    return fact;
}

int coverage_pieces_join(struct coverage_pieces *pieces, struct coverage_fact **facts,
                         size_t *count)
{
    *facts = calloc(pieces->count + 1, sizeof **facts);
    *count = 0;
    if (*facts == NULL || pieces->failed)
        return -ENOMEM;
    if (pieces->count == 0)
        return 0;
    qsort(pieces->piece, pieces->count, sizeof *pieces->piece, by_task);
    for (size_t i = 0, end; i < pieces->count; i = end) {
        for (end = i; end < pieces->count && pieces->piece[end].index == pieces->piece[i].index;)
            end++;
        if (pieces->piece[i].index != SIZE_MAX)
            count_task(&pieces->piece[i], end - i);
    }
    qsort(pieces->piece, pieces->count, sizeof *pieces->piece, by_fact);
    for (size_t i = 0, end; i < pieces->count; i = end) {
        for (end = i + 1;
             end < pieces->count && compare_facts(&pieces->piece[i], &pieces->piece[end]) == 0;)
            end++;
        const struct coverage_fact fact = make_fact(&pieces->piece[i], end - i);
        if (fact.core_seconds > 0 || fact.tasks > 0 || fact.runs > 0)
            (*facts)[(*count)++] = fact;
    }
    return 0;
}
