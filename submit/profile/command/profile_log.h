/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The logs: what people read.
 */
#ifndef JOBTRAIL_PROFILE_LOG_H
#define JOBTRAIL_PROFILE_LOG_H

#include "submit/profile/command/profile_rows.h"
#include "submit/profile/set_order.h"

enum profile_form { FORM_TEXT, FORM_JSON };

struct profile_log {
    const struct profile_set *set;
    const struct set_order *order;
    enum profile_sort sort;
    bool by_function;
};

/* What a call costs at the most where the library was measured (test/bench), in nanoseconds: one
 * that is timed, and one that is counted alone. */
enum { CALL_COST_TIMED_NS = 20, CALL_COST_LIGHT_NS = 9 };

static inline double profile_seconds(uint64_t ns)
{
    return (double)ns / 1e9;
}

/* Prints which rank it is. */
void profile_log_rank(const struct profile_rank *rank);

/* A line on ranks without a profile; as missing_ranks() calls it. */
void profile_log_missing(void *context, uint32_t step, uint32_t first, uint32_t last,
                         uint32_t size);

/* A stack's text with names made harmless to terminals; the caller frees it. NULL: no memory. */
char *profile_path(const struct profile_set *set, uint32_t stack, char separator);

uint64_t profile_overhead_ns(const struct set_sum *sum);

/* Prints the summary of all ranks, or with `rank` below the set's count the log of that one.
 * JSON is one object on a line. Returns 0 or -ENOMEM. */
int profile_log_text(const struct profile_log *log, size_t rank);
int profile_log_json(const struct profile_log *log, size_t rank);

/* The rows of all ranks, or of that one. */
int profile_log_rows(const struct profile_log *log, size_t rank, struct profile_rows *rows);

/* Folded stacks, as flame graphs are made of: exclusive microseconds, the outermost function first.
 * `is_taken` as set_sums_make(). */
int profile_flame(const struct profile_set *set, const struct set_order *order,
                  const bool *is_taken);

/* The same as a picture, SVG: at most 4096 boxes, siblings by name. */
int profile_flame_svg(const struct profile_set *set, const struct set_order *order,
                      const bool *is_taken);

/* A line for each rank and stack, with tabs. */
int profile_dump(const struct profile_set *set, const struct set_order *order,
                 const bool *is_taken);

/* What has changed from the first `before` ranks to the others, by stack; the largest change of
 * exclusive time first. */
int profile_diff(const struct profile_log *log, size_t before, enum profile_form form);

#endif
