/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Logs of profiles as text, for jobtrail-profile(1) and for the flush.
 */
#pragma once

#include <stdio.h>

#include "contrib/profile/profile_rows.h"
#include "contrib/profile/set_order.h"

struct profile_log {
    const struct profile_set *set;
    const struct set_order *order;
    enum profile_sort sort;
    bool by_function;
    const bool *is_taken; /* ranks of one program; NULL: of all */
};

/* What a call costs at the most where the library was measured (test/bench), in nanoseconds: one
 * that is timed, and one that is counted alone. */
enum { CALL_COST_TIMED_NS = 20, CALL_COST_LIGHT_NS = 9 };

/* Prints which of the ranks ended first, and of how many the end is not known, in lines that
 * begin with "#"; nothing where neither is so. `is_taken` NULL: of all. They may be a part
 * of those of their program that are in the set; otherwise `is_all`. Returns 0 or -ENOMEM. */
int profile_log_ends(const struct profile_set *set, const bool *is_taken, bool is_all, FILE *to);

/* A line on ranks without a profile; as missing_ranks() calls it. `context` is a FILE. */
void profile_log_missing(void *context, uint32_t step, uint32_t first, uint32_t last,
                         uint32_t size);

/* The same line without "# ". */
void profile_print_missing(uint32_t step, uint32_t first, uint32_t last, uint32_t size, FILE *to);

/* A stack's text with names made harmless to terminals; the caller frees it. NULL: no memory. */
char *profile_path(const struct profile_set *set, uint32_t stack, char separator);

/* Stands before a time where calls of the function were counted and not timed. */
#define PROFILE_LIGHT_MARK "~"

/* Prints a blank and a time of the sum, with that mark where it needs it, in a column of 12. */
void profile_print_seconds(const struct set_sum *sum, uint64_t ns, FILE *to);

/* Prints what the mark means. */
void profile_explain_mark(FILE *to);

uint64_t profile_overhead_ns(const struct set_sum *sum);

/* Prints the summary of the log's ranks, or with `rank` below the set's count the log of that one.
 * Returns 0 or -ENOMEM; -EIO where `to` takes no more. */
int profile_log_text(const struct profile_log *log, size_t rank, FILE *to);

/* The rows of its ranks, or of that one. */
int profile_log_rows(const struct profile_log *log, size_t rank, struct profile_rows *rows);
