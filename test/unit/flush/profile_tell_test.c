/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What records tell of profiles: what the processes wrote need not add up, and what is told does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "preload/profile/profile_file.h"
#include "submit/flush/profile_tell.h"

enum { SECOND = 1000000000 };

static uint32_t name_of(struct profile_set *set, const char *text)
{
    uint32_t name;
    assert_int_equal(name_table_add(&set->names, text, &name), 0);
    return name;
}

static void add_rank(struct profile_set *set, uint64_t called_ns)
{
    const struct profile_rank rank = {
        .flags = PROFILE_RANK_END_KNOWN, .callers = 1, .called_ns = called_ns};
    assert_int_equal(profile_set_add(set, &rank, (struct profile_table){NULL, 0}), 0);
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

static void times_are_told_by_routine(void **state)
{
    struct profile_set set;
    struct profile_told told;
    (void)state;
    assert_int_equal(profile_set_begin(&set), 0);
    add_rank(&set, 4 * (uint64_t)SECOND);
    add_rank(&set, 4 * (uint64_t)SECOND);
    add_call(&set, 0, "MPI_Wait", SECOND);
    add_call(&set, 0, "MPI_Send", 2 * (uint64_t)SECOND);
    add_call(&set, 1, "MPI_Wait", 3 * (uint64_t)SECOND);
    assert_int_equal(profile_tell(&set, &told), 0);
    assert_true(profile_told_is_sound(&told));
    assert_int_equal(told.ranks, 2);
    assert_int_equal(told.mpi_ranks, 2);
    assert_int_equal(told.mpi_calls, 3);
    assert_int_equal(told.mpi_ns, 6 * (uint64_t)SECOND);
    assert_int_equal(told.run_ns, 8 * (uint64_t)SECOND);
    assert_int_equal(told.outside_most_ns, SECOND);
    assert_int_equal(told.routine_count, 2);
    assert_string_equal(told.routines[0].name, "MPI_Wait");
    assert_int_equal(told.routines[0].ns, 4 * (uint64_t)SECOND);
    assert_int_equal(told.routines[0].open, 2);
    profile_set_free(&set);
}

static void what_does_not_add_up_is_bounded(void **state)
{
    static const char *const names[] = {
        "MPI_<b>", "", "MPI_a_name_that_is_much_longer_than_any_of_MPI", "MPI Wait"};
    struct profile_set set;
    struct profile_told told;
    (void)state;
    assert_int_equal(profile_set_begin(&set), 0);
    add_rank(&set, SECOND);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        add_call(&set, 0, names[i], UINT64_MAX - i);
    add_call(&set, 0, "MPI_Wait", 7 * (uint64_t)SECOND);
    add_call(&set, 0, "MPI_Send", 5 * (uint64_t)SECOND);
    assert_int_equal(profile_tell(&set, &told), 0);
    assert_true(profile_told_is_sound(&told));
    assert_int_equal(told.mpi_ns, SECOND);
    assert_int_equal(told.routine_count, 2);
    assert_int_equal(told.routines[0].ns, SECOND);
    assert_int_equal(told.routines[1].ns, 0);
    profile_set_free(&set);
}

static void without_calls_of_mpi_nothing_is_told_of_them(void **state)
{
    struct profile_set set;
    struct profile_told told;
    (void)state;
    assert_int_equal(profile_set_begin(&set), 0);
    add_rank(&set, SECOND);
    assert_int_equal(profile_tell(&set, &told), 0);
    assert_true(profile_told_is_sound(&told));
    assert_int_equal(told.ranks, 1);
    assert_int_equal(told.mpi_ranks, 0);
    profile_set_free(&set);
}

/* A reader that its user has got under control. */
static void what_cannot_be_is_not_believed(void **state)
{
    const struct profile_told sound = {.ranks = 2,
                                       .mpi_ranks = 2,
                                       .mpi_calls = 3,
                                       .mpi_ns = 5,
                                       .run_ns = 9,
                                       .outside_most_ns = 4,
                                       .routine_count = 1,
                                       .routines = {{"MPI_Wait", 3, 5, 1}}};
    struct profile_told told[12];
    (void)state;
    assert_true(profile_told_is_sound(&sound));
    for (size_t i = 0; i < 12; i++)
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
    for (size_t i = 0; i < 12; i++)
        if (profile_told_is_sound(&told[i]))
            fail_msg("number %zu is believed", i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_told_by_routine),
        cmocka_unit_test(what_does_not_add_up_is_bounded),
        cmocka_unit_test(without_calls_of_mpi_nothing_is_told_of_them),
        cmocka_unit_test(what_cannot_be_is_not_believed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
