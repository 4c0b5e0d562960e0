/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What became of a job's allocation on this node: facts, of which each is what tasks of one step
 * had on one day, and why that is, or is not, in run records. The core seconds of all of them are
 * those of the allocation.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "submit/facts/coverage_pieces.h"
#include "submit/facts/division.h"
#include "submit/facts/job_tasks.h"
#include "submit/job/journal_read.h"

struct coverage {
    struct coverage_fact *facts; /* owned; by step, outcome, leader, program and day */
    size_t fact_count;
    struct coverage_uncaptured *uncaptured; /* owned, in the order of the journal */
    size_t uncaptured_count;
    char **programs; /* owned; names of libraries, too */
    size_t program_count;
};

struct coverage_source {
    const void *policy; /* usable */
    const struct journal *journal;
    const struct job_allocation *allocation;
    const struct job_tasks *tasks;
    const struct division *division;
    uint64_t dropped; /* captures that found no room, and stubs */
    uint64_t now_ns;
    bool has_ledger;
    bool blind; /* programs' files are not read */
};

/* Whether the site skips the job's partition or account. Where the journal has no credential, and
 * so does not know them, true if the site has any rule for them. */
bool coverage_excludes(const void *policy, const struct journal *journal);

/* Whether the site skips this host. */
bool coverage_skips_host(const void *policy);

/* Whether the site's switches and rules leave out a program of the step (NULL: unknown), without
 * a look at arguments. `policy` must be usable. */
bool coverage_leaves_out(const void *policy, const struct journal_step *step, const char *path);

/* "recorded", "opted_out", ... */
const char *coverage_outcome_name(enum coverage_outcome outcome);

/* Finds the facts. Reads the files of programs of tasks that left no capture: called as the job's
 * user. Returns 0 or -ENOMEM. coverage_free() releases `*coverage`, written only on success. */
int coverage_find(const struct coverage_source *source, struct coverage *coverage);

/* What is there of a task of the journal's, which may be NULL; NULL: nothing. */
const struct coverage_uncaptured *coverage_find_uncaptured(const struct coverage *coverage,
                                                           const struct journal_task *task);

void coverage_free(struct coverage *coverage);
