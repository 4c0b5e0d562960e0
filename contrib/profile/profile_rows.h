/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The rows of a log: one for each stack, or for each function.
 */
#ifndef JOBTRAIL_PROFILE_ROWS_H
#define JOBTRAIL_PROFILE_ROWS_H

#include "contrib/profile/set_sums.h"

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

#endif
