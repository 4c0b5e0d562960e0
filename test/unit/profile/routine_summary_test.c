/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/routine_summary.h"

#include <sys/mman.h>

#include "contrib/profile/set_file.h"
#include "preload/profile/profile_file.h"
#include "test/unit/fixture/cases.h"

static const uint64_t second = 1000000000;

static struct profile_routine_entry *add_routine(struct profile_set *set, const char *name,
                                                 uint64_t calls, uint64_t ns)
{
    uint32_t number;
    assert_int_equal(name_table_add(&set->names, name, &number), 0);
    void *grown = realloc(set->routines, (set->routine_count + 1) * sizeof *set->routines);
    assert_non_null(grown);
    set->routines = grown;
    struct profile_routine_entry *entry = &set->routines[set->routine_count++];
    set->routine_room = set->routine_count;
    *entry = (struct profile_routine_entry){.rank = (uint32_t)set->rank_count - 1,
                                            .name = number,
                                            .calls = calls,
                                            .ns = ns,
                                            .largest_ns = ns,
                                            .flags = PROFILE_ROUTINE_MPI};
    return entry;
}

static void add_rank(struct profile_set *set, uint32_t number, uint64_t run_ns)
{
    const struct profile_rank rank = {.node = "n1",
                                      .rank = number,
                                      .size = 3,
                                      .task = number,
                                      .pid = (int32_t)number,
                                      .flags = PROFILE_RANK_END_KNOWN,
                                      .callers = 1,
                                      .called_ns = run_ns};
    assert_int_equal(profile_set_add(set, &rank, (struct set_table){.count = 0}), 0);
}

/* Two ranks of 4 s: 3 s and 1 s of them in MPI. A third one has called nothing of MPI. */
static struct profile_set make_set(void)
{
    struct profile_set set;
    assert_int_equal(profile_set_begin(&set), 0);
    add_rank(&set, 0, 4 * second);
    add_routine(&set, "MPI_Barrier", 2, 2 * second);
    add_routine(&set, "MPI_Send", 1, 1 * second);
    add_rank(&set, 1, 4 * second);
    add_routine(&set, "MPI_Barrier", 2, 1 * second)->open = 1;
    add_routine(&set, "solve", 7, 2 * second)->flags = 0;
    add_rank(&set, 2, 4 * second);
    return set;
}

static void check_summary(const struct routine_summary *summary)
{
    assert_int_equal(summary->ranks, 2);
    assert_int_equal(summary->mpi_calls, 5);
    assert_int_equal(summary->mpi_ns, 4 * second);
    assert_int_equal(summary->run_ns, 8 * second);
    assert_true(summary->mpi_share == 0.5);
    /* 1 s and 3 s outside of MPI: 2 s in the mean */
    assert_true(summary->imbalance == 50);
    assert_int_equal(summary->most_rank, 1);
    assert_false(summary->is_untimed);
    assert_false(summary->is_open);
    assert_int_equal(summary->count, 3);
    const struct routine_sum *barrier = &summary->routine[0], *solve = &summary->routine[1];
    assert_string_equal(barrier->name, "MPI_Barrier");
    assert_int_equal(barrier->calls, 4);
    assert_int_equal(barrier->ns, 3 * second);
    assert_int_equal(barrier->most_ns, 2 * second);
    assert_int_equal(barrier->most_rank, 0);
    assert_int_equal(barrier->open_ranks, 1);
    assert_int_equal(barrier->ranks, 2);
    assert_string_equal(solve->name, "solve");
    assert_false(solve->is_mpi);
}

TEST(share_and_imbalance_are_those_of_ranks_that_called_mpi)
{
    struct profile_set set = make_set();
    struct routine_summary summary;
    assert_int_equal(routine_summary_make(&set, NULL, &summary), 0);
    check_summary(&summary);
    free(summary.routine);
    profile_set_free(&set);
}

TEST(one_rank_has_its_own)
{
    struct profile_set set = make_set();
    struct routine_summary summary;
    const bool is_taken[] = {true, false, false};
    assert_int_equal(routine_summary_make(&set, is_taken, &summary), 0);
    assert_int_equal(summary.ranks, 1);
    assert_int_equal(summary.count, 2);
    assert_true(summary.mpi_share == 0.75);
    assert_true(summary.imbalance == 0);
    free(summary.routine);
    profile_set_free(&set);
}

TEST(time_in_mpi_is_no_more_than_the_run)
{
    struct profile_set set = make_set();
    struct routine_summary summary;
    for (size_t i = 0; i < set.routine_count; i++)
        set.routines[i].ns = UINT64_MAX;
    assert_int_equal(routine_summary_make(&set, NULL, &summary), 0);
    assert_true(summary.mpi_share == 1);
    assert_true(summary.imbalance == 0);
    free(summary.routine);
    profile_set_free(&set);
}

TEST(what_was_missed_of_mpi_is_apart_and_has_no_calls)
{
    struct profile_set set = make_set();
    struct routine_summary summary;
    add_routine(&set, "pow", 0, 0)->flags = PROFILE_ROUTINE_MISSED;
    add_routine(&set, "MPI_Recv", 0, 0)->flags = PROFILE_ROUTINE_MPI | PROFILE_ROUTINE_MISSED;
    set.ranks[2].missed = 5;
    set.ranks[2].missed_mpi = 1;
    assert_int_equal(routine_summary_make(&set, NULL, &summary), 0);
    assert_int_equal(summary.missed, 5);
    assert_int_equal(summary.missed_mpi, 1);
    assert_int_equal(summary.ranks, 2);
    assert_int_equal(summary.all_ranks, 3);
    assert_int_equal(summary.all_ns, 12 * second);
    assert_int_equal(summary.run_ns, 8 * second);
    assert_int_equal(summary.count, 5);
    assert_int_equal(summary.routine[2].ranks, 1);
    for (size_t i = 0; i < summary.count; i++) {
        assert_int_equal(summary.routine[i].is_missed, i >= 3);
        assert_int_equal(summary.routine[i].ranks == 0, i >= 3);
    }
    free(summary.routine);
    profile_set_free(&set);
}

TEST(files_keep_them_and_ranks_that_are_there_twice_count_once)
{
    struct profile_set set = make_set(), read, all;
    struct routine_summary summary;
    size_t repeated;
    int fd = memfd_create("set", MFD_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(set_file_write(fd, &set), 0);
    profile_set_free(&set);
    assert_int_equal(profile_set_begin(&all), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(set_file_read(fd, &read), 0);
        assert_int_equal(profile_set_merge(&all, &read), 0);
    }
    assert_int_equal(all.routine_count, 8);
    assert_int_equal(profile_set_drop_repeated(&all, &repeated), 0);
    assert_int_equal(repeated, 3);
    assert_int_equal(all.routine_count, 4);
    assert_int_equal(routine_summary_make(&all, NULL, &summary), 0);
    check_summary(&summary);
    free(summary.routine);
    profile_set_free(&all);
    close(fd);
}
