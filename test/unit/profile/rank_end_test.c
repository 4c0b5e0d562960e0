/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/rank_end.h"

#include <signal.h>

#include "test/unit/fixture/cases.h"

#define SECOND UINT64_C(1000000000)

static struct profile_rank rank_of(enum profile_way way, int status, uint64_t min_s, uint64_t max_s)
{
    return (struct profile_rank){.pid = 7,
                                 .end_pid = 7,
                                 .way = way,
                                 .status = status,
                                 .flags = PROFILE_RANK_WHERE_TIMED,
                                 .end_at_ns = min_s * SECOND,
                                 .end_min_ns = min_s * SECOND,
                                 .end_max_ns = max_s == UINT64_MAX ? UINT64_MAX : max_s * SECOND};
}

static void assert_text(const struct profile_rank *rank, const char *expected)
{
    char text[256] = "";
    FILE *to = fmemopen(text, sizeof text, "w");
    rank_end_print_way(rank, to);
    rank_end_print_duration(rank, to);
    fclose(to);
    assert_string_equal(text, expected);
}

TEST(ends_are_told_with_their_bounds)
{
    struct profile_rank rank = rank_of(PROFILE_WAY_SIGNALED, SIGKILL, 10, 10);
    rank.where_ns = 2 * SECOND;
    assert_text(&rank, "killed by SIGKILL for at least 2.000000 s (its end is not known; it ended "
                       "less than a microsecond later)");
    rank.flags |= PROFILE_RANK_END_KNOWN;
    assert_text(&rank, "killed by SIGKILL for 2.000000 s");
    rank.where_ns = 999;
    assert_text(&rank, "killed by SIGKILL for less than a microsecond");
    rank.where_ns = 2 * SECOND;
    rank.status = SIGRTMIN + 3;
    assert_text(&rank, "killed by signal 37 for 2.000000 s");
    rank = rank_of(PROFILE_WAY_UNSEEN, 0, 10, 14);
    assert_text(&rank, "ended, how is not known (its end is not known; it ended at most 4.000000 s "
                       "later)");
    rank.end_max_ns = UINT64_MAX;
    assert_text(&rank, "ended, how is not known for an unknown time");
    rank.where_ns = SECOND;
    assert_text(&rank, "ended, how is not known for at least 1.000000 s (its end is not known)");
    rank = rank_of(PROFILE_WAY_EXEC, 0, 10, 14);
    rank.where_ns = 5 * SECOND;
    rank.end_at_ns = 14 * SECOND;
    assert_text(&rank, "replaced by exec for at most 5.000000 s (its end is not known; it ended at "
                       "most 4.000000 s earlier)");
    rank.end_at_ns = 11 * SECOND;
    assert_text(&rank, "replaced by exec for some 5.000000 s (its end is not known; it ended at "
                       "most 1.000000 s earlier; it ended at most 3.000000 s later)");
    rank = rank_of(PROFILE_WAY_EXITED, 3 << 8, 10, 14);
    rank.end_pid = 9;
    rank.flags = PROFILE_RANK_END_KNOWN; /* its last call was counted */
    assert_text(&rank, "process 9 ended by _exit with status 3 for an unknown time");
    rank.way = PROFILE_WAY_LEFT;
    assert_text(&rank, "process 9 ended before MPI_Finalize with status 3 for an unknown time");
    rank.status = -1;
    assert_text(&rank, "process 9 ended before MPI_Finalize for an unknown time");
}

/* Of three ranks. */
static bool find_first(const struct profile_rank *one, const struct profile_rank *two,
                       const struct profile_rank *three, size_t *first, uint64_t *apart_ns)
{
    struct profile_rank ranks[] = {*one, *two, *three};
    const struct profile_set set = {.ranks = ranks, .rank_count = 3};
    return rank_end_first(&set, NULL, first, apart_ns);
}

TEST(the_first_that_ended_is_told_if_bounds_tell_it)
{
    struct profile_rank early = rank_of(PROFILE_WAY_SIGNALED, SIGKILL, 9, 10),
                        late = rank_of(PROFILE_WAY_SIGNALED, SIGTERM, 12, 13),
                        wide = rank_of(PROFILE_WAY_UNSEEN, 0, 11, UINT64_MAX), exited = late;
    size_t first;
    uint64_t apart_ns;
    assert_true(find_first(&late, &early, &wide, &first, &apart_ns));
    assert_true(first == 1 && apart_ns == 1 * SECOND);
    wide.end_min_ns = 10 * SECOND; /* it may have ended before */
    assert_false(find_first(&late, &early, &wide, &first, &apart_ns));
    exited.flags |= PROFILE_RANK_ENDED; /* by itself, at whatever time */
    exited.end_min_ns = 0;
    assert_true(find_first(&late, &early, &exited, &first, &apart_ns) && first == 1);
    assert_false(find_first(&exited, &early, &exited, &first, &apart_ns));
    const enum profile_way ends[] = {PROFILE_WAY_EXITED, PROFILE_WAY_LEFT, PROFILE_WAY_UNSEEN};
    for (size_t i = 0; i < 3; i++) {
        early.way = ends[i];
        assert_true(find_first(&late, &early, &exited, &first, &apart_ns) && first == 1);
    }
    early.way = PROFILE_WAY_EXEC; /* it went on as another program */
    assert_false(find_first(&late, &early, &exited, &first, &apart_ns));
    early.way = PROFILE_WAY_LEFT; /* through its exit handlers */
    early.flags |= PROFILE_RANK_ENDED;
    assert_true(find_first(&late, &early, &exited, &first, &apart_ns) && first == 1);
}

TEST(of_several_programs_none_is_first)
{
    struct profile_rank one = rank_of(PROFILE_WAY_SIGNALED, SIGKILL, 9, 10), other = one,
                        late = rank_of(PROFILE_WAY_SIGNALED, SIGTERM, 12, 13), ended = late;
    size_t first;
    uint64_t apart_ns;
    ended.flags |= PROFILE_RANK_ENDED; /* of whatever program */
    ended.program = 3;
    assert_true(find_first(&one, &late, &ended, &first, &apart_ns));
    other.program = 7;
    assert_false(find_first(&other, &late, &ended, &first, &apart_ns));
    other = one;
    other.step = 1; /* the launcher tells no name */
    assert_false(find_first(&other, &late, &ended, &first, &apart_ns));
    other.program = late.program = 7; /* in two steps */
    assert_true(find_first(&other, &late, &ended, &first, &apart_ns));
    other = one;
    other.executable = 1; /* beside the ranks of a script's task */
    late.program = 0;
    assert_false(find_first(&other, &late, &ended, &first, &apart_ns));
    other.size = late.size = 8;
    assert_true(find_first(&other, &late, &ended, &first, &apart_ns));
}

TEST(ends_that_are_not_known_are_counted)
{
    struct profile_rank ranks[] = {rank_of(PROFILE_WAY_UNSEEN, 0, 10, 14),
                                   rank_of(PROFILE_WAY_SIGNALED, SIGKILL, 10, 15),
                                   rank_of(PROFILE_WAY_UNSEEN, 0, 10, 11)};
    const struct profile_set set = {.ranks = ranks, .rank_count = 3};
    const bool is_taken[] = {true, true, false};
    char text[RANK_END_OPEN_TEXT];
    ranks[1].flags |= PROFILE_RANK_END_KNOWN;
    assert_int_equal(rank_end_open(&set, NULL), 2);
    assert_string_equal(rank_end_open_text(2, text),
                        "ends of 2 ranks are not known: their times are too short");
    assert_string_equal(rank_end_open_text(1, text),
                        "end of 1 rank is not known: its times are too short");
    assert_int_equal(rank_end_open(&set, is_taken), 1);
    ranks[2].end_at_ns = 11 * SECOND; /* not later */
    assert_int_equal(rank_end_open(&set, NULL), 1);
}
