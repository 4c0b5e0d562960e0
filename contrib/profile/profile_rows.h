/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The rows of a log: one for each stack, or for each function.
 */
#pragma once

#include "contrib/profile/profile_set.h"

/* What all ranks, or some, did in each stack together. */
struct set_sum {
    uint64_t calls;
    uint64_t exclusive_ns, inclusive_ns;
    uint64_t largest_ns; /* of one call */
    uint64_t most_ns;    /* exclusive, of the rank that has the most */
    uint32_t most_rank;  /* which of set->ranks that is */
    uint32_t ranks;      /* that have this stack; 0: none */
    uint32_t depth;      /* of a direct recursion; 1: it is none */
    bool is_light;       /* some calls are counted, and not timed */
};

/* Adds up the ranks for which `is_taken` has true; NULL: all. Sets `*sums`, by stack, to what the
 * caller frees, and `*taken` to how many ranks they are. Returns 0 or -ENOMEM. */
int set_sums_make(const struct profile_set *set, const bool *is_taken, struct set_sum **sums,
                  size_t *taken);

/* How much more the rank with the most time had than the mean of `ranks` ranks, in per cent. */
double set_sum_imbalance(const struct set_sum *sum, size_t ranks);

enum profile_sort { SORT_EXCLUSIVE, SORT_INCLUSIVE, SORT_CALLS, SORT_STACK };

struct profile_row {
    struct set_sum sum;
    uint32_t stack; /* of a function: the one of its stacks that has the most time */
};

struct profile_rows {
    struct profile_row *row; /* owned */
    size_t count;
    size_t ranks;          /* how many are in the sums */
    uint64_t exclusive_ns; /* of all rows */
    bool by_function;
};

/* Makes the rows of the ranks for which `is_taken` has true (NULL: all), without "init", in the
 * order `sort`; equal ones by id. Of functions, inclusive time is that of the calls that no call of
 * the same function is around. Returns 0 or -ENOMEM; free(rows->row) releases. */
int profile_rows_make(const struct profile_set *set, const uint32_t *id, const bool *is_taken,
                      bool by_function, enum profile_sort sort, struct profile_rows *rows);
