/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How and when ranks ended that did not reach their exit handlers, or not MPI_Finalize(), in words.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "contrib/profile/profile_set.h"

/* Whether there is something to tell: a process of it did not reach these. */
static inline bool rank_end_is_told(const struct profile_rank *rank)
{
    return (rank->flags & PROFILE_RANK_ENDED) == 0 || rank->way == PROFILE_WAY_LEFT ||
           rank->way == PROFILE_WAY_ABORTED;
}

/* By how much later, and earlier, the end may have been than the moment that was taken for it, in
 * nanoseconds: 0 where the end is known; UINT64_MAX: that is not known. */
uint64_t rank_end_late_ns(const struct profile_rank *rank);
uint64_t rank_end_early_ns(const struct profile_rank *rank);

/* For how long it was in its last call, in nanoseconds, at least where the end is not known;
 * UINT64_MAX: nothing is known of it. */
uint64_t rank_end_where_ns(const struct profile_rank *rank);

/* The name of a signal, "SIGKILL"; in `room` where it has none. */
const char *rank_end_signal(int number, char room[32]);

/* Prints the way, as "killed by SIGKILL". */
void rank_end_print_way(const struct profile_rank *rank, FILE *to);

/* Prints a moment, or when it ended: ", at 2026-11-30T10:00:00.000", or between which moments. */
void rank_end_print_time(uint64_t ns, FILE *to);
void rank_end_print_bounds(const struct profile_rank *rank, FILE *to);

/* Prints for how long it was in its last call, and what is not known of that: " for 2.5 s". */
void rank_end_print_duration(const struct profile_rank *rank, FILE *to);

/* Whether one of the ranks ended before all others that are told of, whatever the bounds of their
 * ends, and not by exec. Sets `*first` to which of the set's ranks, and
 * `*apart_ns` to how much before the next one at the least. Ranks for which `is_taken` has false
 * are left out; NULL: none is. Where they are of several programs none is said to be first. */
bool rank_end_first(const struct profile_set *set, const bool *is_taken, size_t *first,
                    uint64_t *apart_ns);

/* How many ranks may have ended later than what was taken for their end. */
size_t rank_end_open(const struct profile_set *set, const bool *is_taken);

enum { RANK_END_OPEN_TEXT = 96 };

/* Of so many: "ends of 2 ranks are not known: their times are too short". Returns `text`. */
const char *rank_end_open_text(size_t open, char text[RANK_END_OPEN_TEXT]);
