/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/log_marks.h"

#include "contrib/profile/profile_log.h"

static void print_mark(const struct profile_rank *rank, const char *what, FILE *to)
{
    fprintf(to, "# ");
    profile_log_rank(rank, to);
    fprintf(to, ": %s\n", what);
}

void log_marks(const struct profile_set *set, const bool *is_taken, FILE *to)
{
    for (size_t i = 0; i < set->rank_count; i++) {
        const struct profile_rank *rank = &set->ranks[i];
        if (is_taken != NULL && !is_taken[i])
            continue;
        if ((rank->flags & PROFILE_RANK_CONFINED) != 0)
            print_mark(rank, "entered a sandbox: nothing after that is counted", to);
        if ((rank->flags & PROFILE_RANK_HOOKED) != 0)
            print_mark(rank, "has hooks of its own: it has no stacks", to);
    }
}
