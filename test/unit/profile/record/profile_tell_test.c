/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What records tell of profiles: what the processes wrote need not add up, and what is told does.
 */
#include "contrib/profile/record/profile_tell.h"
#include "contrib/profile/set_order.h"
#include "preload/profile/profile_file.h"
#include "test/unit/fixture/cases.h"

enum { SECOND = 1000000000 };

static uint32_t name_of(struct profile_set *set, const char *text)
{
    uint32_t name;
    assert_int_equal(name_table_add(&set->names, text, &name), 0);
    return name;
}

static void add_rank_of(struct profile_set *set, uint64_t called_ns, uint64_t program,
                        uint32_t number)
{
    const struct profile_rank rank = {.flags = PROFILE_RANK_END_KNOWN,
                                      .callers = 1,
                                      .called_ns = called_ns,
                                      .program = program,
                                      .rank = number,
                                      .size = program == 0 ? 0 : 8};
    assert_int_equal(profile_set_add(set, &rank, (struct set_table){NULL, 0}), 0);
}

static void add_rank(struct profile_set *set, uint64_t called_ns)
{
    add_rank_of(set, called_ns, 0, 0);
}

static void add_call(struct profile_set *set, uint32_t rank, const char *text, uint64_t ns)
{
    struct profile_routine_entry *entry;
    void *grown = realloc(set->routines, (set->routine_count + 1) * sizeof *set->routines);
    assert_non_null(grown);
    set->routines = grown;
    entry = &set->routines[set->routine_count++];
    *entry = (struct profile_routine_entry){.rank = rank,
                                            .name = name_of(set, text),
                                            .calls = 1,
                                            .ns = ns,
                                            .open = 1,
                                            .flags = PROFILE_ROUTINE_MPI};
}

TEST(times_are_told_by_routine)
{
    struct profile_set set;
    struct profile_runs runs = {NULL, 0};
    struct profile_told told[PROFILE_TOLD_PROGRAMS];
    size_t count;
    assert_int_equal(profile_set_begin(&set), 0);
    add_rank(&set, 4 * (uint64_t)SECOND);
    add_rank(&set, 4 * (uint64_t)SECOND);
    add_call(&set, 0, "MPI_Wait", SECOND);
    add_call(&set, 0, "MPI_Send", 2 * (uint64_t)SECOND);
    add_call(&set, 1, "MPI_Wait", 3 * (uint64_t)SECOND);
    assert_int_equal(profile_tell(&set, &runs, told, &count), 0);
    assert_int_equal(count, 1);
    assert_true(profile_told_is_sound(told, count));
    assert_int_equal(told->ranks, 2);
    assert_int_equal(told->mpi_ranks, 2);
    assert_int_equal(told->mpi_calls, 3);
    assert_int_equal(told->mpi_ns, 6 * (uint64_t)SECOND);
    assert_int_equal(told->run_ns, 8 * (uint64_t)SECOND);
    assert_int_equal(told->outside_most_ns, SECOND);
    assert_int_equal(told->routine_count, 2);
    assert_string_equal(told->routines[0].name, "MPI_Wait");
    assert_int_equal(told->routines[0].ns, 4 * (uint64_t)SECOND);
    assert_int_equal(told->routines[0].open, 2);
    profile_set_free(&set);
}

TEST(what_does_not_add_up_is_bounded)
{
    static const char *const names[] = {
        "MPI_<b>", "", "MPI_a_name_that_is_much_longer_than_any_of_MPI", "MPI Wait"};
    struct profile_set set;
    struct profile_runs runs = {NULL, 0};
    struct profile_told told[PROFILE_TOLD_PROGRAMS];
    size_t count;
    assert_int_equal(profile_set_begin(&set), 0);
    add_rank(&set, SECOND);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        add_call(&set, 0, names[i], UINT64_MAX - i);
    add_call(&set, 0, "MPI_Wait", 7 * (uint64_t)SECOND);
    add_call(&set, 0, "MPI_Send", 5 * (uint64_t)SECOND);
    assert_int_equal(profile_tell(&set, &runs, told, &count), 0);
    assert_int_equal(count, 1);
    assert_true(profile_told_is_sound(told, count));
    assert_int_equal(told->mpi_ns, SECOND);
    assert_int_equal(told->routine_count, 2);
    assert_int_equal(told->routines[0].ns, SECOND);
    assert_int_equal(told->routines[1].ns, 0);
    profile_set_free(&set);
}

TEST(without_calls_of_mpi_nothing_is_told_of_them)
{
    struct profile_set set;
    struct profile_runs runs = {NULL, 0};
    struct profile_told told[PROFILE_TOLD_PROGRAMS];
    size_t count;
    assert_int_equal(profile_set_begin(&set), 0);
    add_rank(&set, SECOND);
    assert_int_equal(profile_tell(&set, &runs, told, &count), 0);
    assert_int_equal(count, 1);
    assert_true(profile_told_is_sound(told, count));
    assert_int_equal(told->ranks, 1);
    assert_int_equal(told->mpi_ranks, 0);
    profile_set_free(&set);
}

/* A process of the run, in a rank. */
static void note(struct profile_runs *runs, size_t rank, uint8_t run, uint64_t mpi_calls)
{
    struct profiled_routine routine = {.flags = PROFILE_ROUTINE_MPI, .calls = mpi_calls};
    const struct profiled_process process = {
        .uuid = {run}, .routines = &routine, .routine_count = 1};
    assert_int_equal(profile_runs_note(runs, rank, &process), 0);
}

TEST(each_program_has_its_ranks_and_runs)
{
    struct profile_set set;
    struct profile_runs runs = {NULL, 0};
    struct profile_told told[PROFILE_TOLD_PROGRAMS];
    size_t count;
    assert_int_equal(profile_set_begin(&set), 0);
    add_rank_of(&set, SECOND, 7, 4);
    add_rank_of(&set, 4 * (uint64_t)SECOND, 9, 4);
    add_rank_of(&set, 6 * (uint64_t)SECOND, 9, 5);
    for (uint32_t rank = 0; rank < 3; rank++)
        add_call(&set, rank, "MPI_Wait", SECOND);
    note(&runs, 1, 30, 0); /* what the rank's program has started comes behind it */
    note(&runs, 2, 0, 1);  /* a follower has no run */
    note(&runs, 1, 31, 2);
    note(&runs, 0, 32, 1);
    note(&runs, 1, 31, 0); /* forked */
    assert_int_equal(profile_tell(&set, &runs, told, &count), 0);
    assert_int_equal(count, 2);
    assert_true(profile_told_is_sound(told, count));
    assert_int_equal(told[0].program, 9);
    assert_int_equal(told[0].ranks, 2);
    assert_int_equal(told[0].size, 8);
    assert_int_equal(told[0].mpi_ns, 2 * (uint64_t)SECOND);
    assert_int_equal(told[0].run_ns, 10 * (uint64_t)SECOND);
    assert_int_equal(told[0].outside_rank, 5);
    assert_int_equal(told[0].runs, 2);
    assert_int_equal(told[0].mpi_runs, 1);
    assert_int_equal(told[0].run[0][0], 31);
    assert_int_equal(told[0].run[1][0], 30);
    assert_int_equal(told[1].program, 7);
    assert_int_equal(told[1].ranks, 1);
    assert_int_equal(told[1].mpi_calls, 1);
    assert_int_equal(told[1].runs, 1);
    assert_int_equal(told[1].run[0][0], 32);
    free(runs.run);
    profile_set_free(&set);
}

/* srun --multi-prog: rank 0 and rank 2 run one, rank 1 another. What tells no program is not told
 * apart. */
TEST(each_executable_of_a_program_has_its_ranks_and_run)
{
    struct profile_set set;
    struct profile_runs runs = {NULL, 0};
    struct profile_told told[PROFILE_TOLD_PROGRAMS];
    size_t count;
    assert_int_equal(profile_set_begin(&set), 0);
    for (uint32_t i = 0; i < 5; i++) {
        add_rank_of(&set, (i + 2) * (uint64_t)SECOND, i < 3 ? 7 : 0, i);
        set.ranks[i].executable = name_of(&set, i % 2 == 0 ? "/bin/a" : "/bin/b") + 1;
        add_call(&set, i, "MPI_Wait", SECOND);
        note(&runs, i, (uint8_t)(i == 2 ? 0 : 30 + i), 1);
    }
    assert_int_equal(profile_tell(&set, &runs, told, &count), 0);
    assert_int_equal(count, 3);
    assert_true(profile_told_is_sound(told, count));
    const struct profile_told *none = told[0].program == 0 ? &told[0] : &told[1];
    const struct profile_told *first = told[0].program == 0 ? &told[1] : &told[0];
    assert_int_equal(none->executable, 0);
    assert_int_equal(none->ranks, 2);
    assert_int_equal(first->program, 7);
    assert_int_equal(first->executable, stack_hash("/bin/a", strlen("/bin/a")));
    assert_int_equal(first->ranks, 2);
    assert_int_equal(first->size, 8);
    assert_int_equal(first->run_ns, 6 * (uint64_t)SECOND);
    assert_int_equal(first->mpi_runs, 1);
    assert_int_equal(first->run[0][0], 30);
    assert_int_equal(told[2].program, 7);
    assert_int_equal(told[2].executable, stack_hash("/bin/b", strlen("/bin/b")));
    assert_int_equal(told[2].ranks, 1);
    assert_int_equal(told[2].programs, 3);
    assert_int_equal(told[2].run[0][0], 31);
    free(runs.run);
    profile_set_free(&set);
}

TEST(of_more_programs_and_runs_the_number_is_told)
{
    struct profile_set set;
    struct profile_runs runs = {NULL, 0};
    struct profile_told told[PROFILE_TOLD_PROGRAMS];
    size_t count;
    assert_int_equal(profile_set_begin(&set), 0);
    for (uint64_t program = 0; program < 20; program++)
        add_rank_of(&set, SECOND, program, 0);
    for (uint8_t run = 1; run <= 40; run++)
        note(&runs, 0, run, run > 35);
    assert_int_equal(profile_tell(&set, &runs, told, &count), 0);
    assert_int_equal(count, PROFILE_TOLD_PROGRAMS);
    assert_true(profile_told_is_sound(told, count));
    assert_int_equal(told[0].programs, 20);
    assert_int_equal(told[0].runs, 40);
    assert_int_equal(told[0].mpi_runs, 5);
    assert_int_equal(told[0].run[0][0], 36);
    assert_int_equal(told[0].run[PROFILE_TOLD_RUNS - 1][0], 11);
    free(runs.run);
    profile_set_free(&set);
}

/* A reader that its user has got under control. */
TEST(what_cannot_be_is_not_believed)
{
    const struct profile_told sound = {.programs = 1,
                                       .ranks = 2,
                                       .mpi_ranks = 2,
                                       .mpi_calls = 3,
                                       .mpi_ns = 5,
                                       .run_ns = 9,
                                       .outside_most_ns = 4,
                                       .routine_count = 1,
                                       .routines = {{"MPI_Wait", 3, 5, 1}}};
    struct profile_told told[16];
    assert_true(profile_told_is_sound(&sound, 1));
    for (size_t i = 0; i < 16; i++)
        told[i] = sound;
    told[0].mpi_ranks = 3;
    told[1].mpi_ns = 10;
    told[2].outside_most_ns = 10;
    told[3].routine_count = PROFILE_TOLD_ROUTINES + 1;
    told[4].routine_count = 2; /* without a name */
    told[5].routines[0].calls = 4;
    told[6].routines[0].ns = 6;
    told[7].routines[0].open = 3;
    memset(told[8].routines[0].name, 'a', PROFILE_TOLD_NAME);
    strcpy(told[9].routines[0].name, "a=1:2");
    told[10].is_open = 2;
    told[11].ranks = (uint64_t)UINT32_MAX + 1;
    told[12].programs = 0;
    told[13].mpi_runs = 1;
    told[14].outside_rank = told[11].ranks;
    told[15].size = told[11].ranks;
    for (size_t i = 0; i < 16; i++)
        if (profile_told_is_sound(&told[i], 1))
            fail_msg("number %zu is believed", i);
    told[0] = told[1] = sound;
    told[0].programs = told[1].programs = 2;
    assert_false(profile_told_is_sound(told, 2)); /* of one program twice */
    told[1].executable = 1;
    assert_true(profile_told_is_sound(told, 2));
    told[1].executable = 0;
    told[1].program = 1;
    assert_true(profile_told_is_sound(told, 2));
    told[1].programs = 3;
    assert_false(profile_told_is_sound(told, 2));
    assert_false(profile_told_is_sound(told, 0));
    assert_false(profile_told_is_sound(told, PROFILE_TOLD_PROGRAMS + 1));
}
