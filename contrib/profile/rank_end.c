/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/rank_end.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "contrib/profile/numbers.h"
#include "contrib/profile/set_programs.h"

static bool is_known(const struct profile_rank *rank)
{
    return (rank->flags & PROFILE_RANK_END_KNOWN) != 0;
}

uint64_t rank_end_late_ns(const struct profile_rank *rank)
{
    if (is_known(rank))
        return 0;
    if (rank->end_max_ns == UINT64_MAX)
        return UINT64_MAX;
    return rank->end_max_ns > rank->end_at_ns ? rank->end_max_ns - rank->end_at_ns : 0;
}

uint64_t rank_end_early_ns(const struct profile_rank *rank)
{
    bool is_early = !is_known(rank) && rank->end_at_ns > rank->end_min_ns;
    return is_early ? rank->end_at_ns - rank->end_min_ns : 0;
}

const char *rank_end_signal(int number, char room[32])
{
    const char *name = number < SIGRTMIN ? sigabbrev_np(number) : NULL;
    if (name != NULL)
        snprintf(room, 32, "SIG%s", name);
    else
        snprintf(room, 32, "signal %d", number);
    return room;
}

void rank_end_print_way(const struct profile_rank *rank, FILE *to)
{
    char name[32];
    if (rank->end_pid != rank->pid)
        fprintf(to, "process %d ", rank->end_pid);
    switch ((enum profile_way)rank->way) {
    case PROFILE_WAY_EXEC:
        fputs("replaced by exec", to);
        return;
    case PROFILE_WAY_EXITED:
        fprintf(to, "ended by _exit with status %d", WEXITSTATUS(rank->status));
        return;
    case PROFILE_WAY_ABORTED:
    case PROFILE_WAY_LEFT:
        fputs(rank->way == PROFILE_WAY_ABORTED ? "ended by MPI_Abort" : "ended before MPI_Finalize",
              to);
        if (rank->status >= 0)
            fprintf(to, " with status %d", WEXITSTATUS(rank->status));
        return;
    case PROFILE_WAY_RUNS:
        fputs("still ran when its job was over", to);
        return;
    case PROFILE_WAY_UNSEEN:
        fputs("ended, how is not known", to);
        return;
    case PROFILE_WAY_SIGNALED:
        fprintf(to, "killed by %s", rank_end_signal(WTERMSIG(rank->status), name));
        return;
    case PROFILE_WAY_NONE:
    case PROFILE_WAYS:
        break;
    }
    fputs("killed, or still running", to);
}

void rank_end_print_time(uint64_t ns, FILE *to)
{
    time_t second = (time_t)(ns / 1000000000);
    struct tm parts;
    char text[64];
    if (localtime_r(&second, &parts) != NULL &&
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts) > 0)
        fprintf(to, "%s.%03u", text, (unsigned)(ns / 1000000 % 1000));
}

void rank_end_print_bounds(const struct profile_rank *rank, FILE *to)
{
    bool is_known = (rank->flags & PROFILE_RANK_END_KNOWN) != 0;
    bool is_bound = !is_known && rank->end_max_ns != UINT64_MAX;
    if (rank->way == PROFILE_WAY_NONE)
        return;
    fputs(is_known ? ", at " : is_bound ? ", between " : ", after ", to);
    rank_end_print_time(is_known ? rank->end_at_ns : rank->end_min_ns, to);
    if (!is_bound)
        return;
    fputs(" and ", to);
    rank_end_print_time(rank->end_max_ns, to);
}

/* An open call that was counted and not timed has no start, and one that was entered last may have
 * lasted for any time. */
uint64_t rank_end_where_ns(const struct profile_rank *rank)
{
    bool is_timed = (rank->flags & PROFILE_RANK_WHERE_TIMED) != 0;
    bool is_bound = is_known(rank) || rank->where_ns > 0 || rank_end_late_ns(rank) != UINT64_MAX;
    return is_timed && is_bound ? rank->where_ns : UINT64_MAX;
}

static void print_most(uint64_t ns, const char *when, FILE *to)
{
    if (ns < PROFILE_LEAST_NS)
        fprintf(to, "; it ended less than a microsecond %s", when);
    else
        fprintf(to, "; it ended at most %.6f s %s", profile_seconds(ns), when);
}

void rank_end_print_duration(const struct profile_rank *rank, FILE *to)
{
    uint64_t late_ns = rank_end_late_ns(rank), early_ns = rank_end_early_ns(rank);
    uint64_t ns = rank_end_where_ns(rank);
    bool is_lower_bound = !is_known(rank) && late_ns > 0;
    if (ns == UINT64_MAX)
        fputs(" for an unknown time", to);
    else if (ns >= PROFILE_LEAST_NS)
        fprintf(to, " for %s%.6f s",
                early_ns == 0  ? is_known(rank) ? "" : "at least "
                : late_ns == 0 ? "at most "
                               : "some ",
                profile_seconds(ns));
    else if (!is_lower_bound) /* at least no time is nothing to tell */
        fputs(" for less than a microsecond", to);
    if (is_known(rank) || (late_ns == UINT64_MAX && ns == UINT64_MAX))
        return;
    fputs(" (its end is not known", to);
    if (early_ns > 0)
        print_most(early_ns, "earlier", to);
    if (late_ns != UINT64_MAX && (late_ns > 0 || early_ns == 0))
        print_most(late_ns, "later", to);
    putc(')', to);
}

static bool is_told(const struct profile_set *set, const bool *is_taken, size_t i)
{
    return (is_taken == NULL || is_taken[i]) && rank_end_is_told(&set->ranks[i]);
}

/* The programs of a script end one after another by themselves. */
static bool is_one_program(const struct profile_set *set, const bool *is_taken)
{
    const struct profile_rank *first = NULL;
    for (size_t i = 0; i < set->rank_count; i++) {
        if (!is_told(set, is_taken, i))
            continue;
        if (first != NULL && set_program_compare(first, &set->ranks[i]) != 0)
            return false;
        first = &set->ranks[i];
    }
    return first != NULL;
}

bool rank_end_first(const struct profile_set *set, const bool *is_taken, size_t *first,
                    uint64_t *apart_ns)
{
    size_t found = set->rank_count, count = 0;
    uint64_t next_ns = UINT64_MAX;
    if (!is_one_program(set, is_taken))
        return false;
    for (size_t i = 0; i < set->rank_count; i++) {
        if (!is_told(set, is_taken, i))
            continue;
        count++;
        const struct profile_rank *rank = &set->ranks[i];
        bool has_ended = rank->way != PROFILE_WAY_NONE && rank->way != PROFILE_WAY_EXEC &&
                         rank->way != PROFILE_WAY_RUNS;
        if (has_ended &&
            (found == set->rank_count || rank->end_max_ns < set->ranks[found].end_max_ns))
            found = i;
    }
    for (size_t i = 0; i < set->rank_count; i++)
        if (i != found && is_told(set, is_taken, i) && set->ranks[i].end_min_ns < next_ns)
            next_ns = set->ranks[i].end_min_ns;
    if (count < 2 || found == set->rank_count || next_ns <= set->ranks[found].end_max_ns)
        return false;
    *first = found;
    *apart_ns = next_ns - set->ranks[found].end_max_ns;
    return true;
}

size_t rank_end_open(const struct profile_set *set, const bool *is_taken)
{
    size_t count = 0;
    for (size_t i = 0; i < set->rank_count; i++)
        count += is_told(set, is_taken, i) && rank_end_late_ns(&set->ranks[i]) > 0;
    return count;
}

const char *rank_end_open_text(size_t open, char text[RANK_END_OPEN_TEXT])
{
    snprintf(text, RANK_END_OPEN_TEXT, "end%s of %zu rank%s not known: %s times are too short",
             plural_end(open), open, plural(open, " is", "s are"), plural(open, "its", "their"));
    return text;
}
