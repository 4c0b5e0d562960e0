/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What forked children used that executed nothing, told of the program that forked them.
 */
#include "contrib/witness/job/kernel_notes.h"
#include "test/unit/fixture/cases.h"

#define LISTEN  "listen 1000000000 2000000000 1 1\n"
#define PROGRAM "program 1 - /opt/a\n"

/* PID PARENT START PARENT-START; END EXEC EXECS; STATUS LACK; RUN SYSTEM PEAK READ WRITTEN */
#define END(who, times, status_lack, used)                                                         \
    "end " who " " times " 1 " status_lack " 1000 " used " 0 0 0\n"

/* One that executed a program at 6 s. */
#define WORKED "10 1 5000000000 0"
#define PARENT END(WORKED, "20000000000 6000000000 1", "0 0", "7000 0 900 10 20")

/* A child that executed nothing, which used 1000 ns, 30 KiB, 4 and 8 bytes. */
#define CHILD(who, status_lack) END(who, "19000000000 0 0", status_lack, "1000 0 30 4 8")

static struct kernel_forked of(const char *text, int32_t pid)
{
    struct kernel_notes notes;
    struct kernel_forked found = {.count = UINT64_MAX};
    assert_int_equal(kernel_notes_parse(strdup(text), strlen(text), &notes), 0);
    for (size_t i = 0; i < notes.count; i++)
        if (notes.noted[i].note.pid == pid)
            found = notes.noted[i].forked;
    assert_int_equal(notes.bad_lines, 0);
    kernel_notes_free(&notes);
    return found;
}

TEST(children_that_executed_nothing_are_summed)
{
    const struct kernel_forked forked =
        of(LISTEN PROGRAM PARENT CHILD("11 10 7000000000 5000000000", "0 0")
               CHILD("12 10 8000000000 5000000000", "9 0")
                   CHILD("13 12 9000000000 8000000000", "256 0") /* a child's child */
           END("14 10 9000000000 5000000000", "19000000000 9500000000 1", "0 0", "5 0 99 5 5"),
           10);
    assert_int_equal(forked.count, 3);
    assert_int_equal(forked.signaled, 1);
    assert_int_equal(forked.run_ns, 3000);
    assert_int_equal(forked.peak_kib, 30);
    assert_true(forked.read_bytes == 12 && forked.write_bytes == 24);
    assert_false(forked.is_least);
}

TEST(each_is_of_the_nearest_program_alone)
{
    static const char text[] =
        LISTEN PROGRAM PARENT END("11 10 7000000000 5000000000", "19000000000 7500000000 1", "0 0",
                                  "5 0 99 5 5") CHILD("12 11 8000000000 7000000000", "0 0");
    assert_int_equal(of(text, 10).count, 0);
    assert_int_equal(of(text, 11).count, 1);
}

TEST(what_an_earlier_program_forked_is_of_none)
{
    static const char text[] = LISTEN PROGRAM PARENT CHILD("11 10 5500000000 5000000000", "0 0")
        CHILD("12 11 7000000000 5500000000", "0 0") CHILD("13 10 7000000000 5000000000", "0 0");
    assert_int_equal(of(text, 10).count, 1);
}

TEST(what_was_lost_makes_least_ones)
{
    assert_true(of(LISTEN PROGRAM PARENT "lost 1 2 1\n", 10).is_least);
    assert_true(of(LISTEN PROGRAM PARENT "left 1\n", 10).is_least);
    assert_true(of(LISTEN PROGRAM PARENT CHILD("11 10 7000000000 5000000000", "0 8"), 10).is_least);
    assert_int_equal(
        of(LISTEN PROGRAM PARENT CHILD("11 10 7000000000 5000000000", "9 4"), 10).signaled, 0);
}

TEST(of_what_is_older_than_the_witness_it_is_not_known)
{
    static const char text[] =
        LISTEN PROGRAM PARENT CHILD("11 10 7000000000 5000000000", "0 1") /* may have executed */
        CHILD("12 11 8000000000 7000000000", "0 0");
    assert_int_equal(of(text, 10).count, 0);
    assert_int_equal(of(text, 11).count, 0);
}

TEST(parents_that_go_in_a_circle_end)
{
    static const char text[] = LISTEN CHILD("11 12 7000000000 7000000000", "0 0")
        CHILD("12 11 7000000000 7000000000", "0 0") CHILD("13 13 7000000000 7000000000", "0 0");
    assert_int_equal(of(text, 11).count, 0);
    assert_int_equal(of(text, 13).count, 0);
}
