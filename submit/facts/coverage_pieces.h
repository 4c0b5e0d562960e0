/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The facts of coverage.h out of pieces: what one task or one run had on one day.
 */
#ifndef JOBTRAIL_COVERAGE_PIECES_H
#define JOBTRAIL_COVERAGE_PIECES_H

#include "submit/facts/coverage_fact.h"

struct coverage_piece {
    enum coverage_outcome outcome;
    uint32_t step, leader;     /* JOURNAL_NONE: none */
    uint32_t task;             /* its number */
    size_t index;              /* of the task; SIZE_MAX: of none */
    uint32_t day, runs, tasks; /* tasks: left 0 */
    double core_seconds;
    uint64_t start_ns, end_ns;
    const char *program; /* NULL: unknown */
};

struct coverage_pieces {
    struct coverage_piece *piece; /* owned */
    size_t count;
    bool failed; /* out of memory */
};

/* That there is no memory is returned by coverage_pieces_join(). */
void coverage_pieces_add(struct coverage_pieces *pieces, const struct coverage_piece *piece);

/* Counts each task in the piece of its first day with the outcome that had most of it, but not
 * LAUNCH where it has another one. UNCERTAIN time counts there for an outcome of runs. Makes a fact
 * of all pieces with the same step, outcome, leader, program and day. Those without time, tasks and
 * runs are left out. Returns 0 or -ENOMEM; the facts are the caller's. */
int coverage_pieces_join(struct coverage_pieces *pieces, struct coverage_fact **facts,
                         size_t *count);

void coverage_pieces_free(struct coverage_pieces *pieces);

#endif
