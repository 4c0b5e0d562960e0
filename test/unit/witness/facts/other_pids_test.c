/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Processes whose captures have the pid of another namespace.
 */
#include "contrib/witness/facts/other_pids.h"

#include "test/unit/fixture/cases.h"

#define SECOND UINT64_C(1000000000)

#define LISTEN                                                                                     \
    "left                    0\nlisten 1000000000 1000000000 1 1\n"                                \
    "program 1 - /opt/a\nprogram 2 - /opt/b\n"

/* Began at 10 s, ended at 40 s. */
#define NOTED(pid, exec, program)                                                                  \
    "end " pid " 1 10005000000 0 40000000000 " exec " 1 " program " 768 0 0 0 0 0 0 0 0 0 0\n"

enum { CAPTURES_MAX = 2 };

/* The pids on the node of the processes of captures in another namespace, where there is also one
 * of the pid 51 of the node; 0: it is not known. */
static void find_all(const char *notes, struct capture *capture, size_t count, int32_t *pid)
{
    static const char text[] =
        "step time=5.000000000 job=1 uid=1 gid=1 step=0 name_space=4\n"
        "task time=10.000000000 step=0 task=0 pid=70 ticks=1000 thread=1 busy=1\n"
        "task time=10.000000000 step=0 task=1 pid=71 ticks=1000 thread=1 busy=1\n";
    struct succession_entry entry = {.pid = 51, .start_ticks = 1000, .name_space = 4};
    const struct succession succession = {.entry = &entry, .count = 1};
    struct kernel_notes kernel;
    struct journal journal;
    struct other_pids *pids;
    assert_int_equal(kernel_notes_parse(strdup(notes), strlen(notes), &kernel), 0);
    assert_int_equal(journal_parse(text, strlen(text), &journal), 0);
    assert_int_equal(other_pids_new(&journal, &kernel, &succession, &pids), 0);
    for (size_t i = 0; i < count; i++) {
        capture[i].offset = i * 4096;
        other_pids_take(pids, &capture[i]);
    }
    for (size_t i = 0; i < count; i++) {
        const struct kernel_noted *noted = other_pids_find(pids, &capture[i]);
        pid[i] = noted == NULL ? 0 : noted->note.pid;
    }
    other_pids_free(pids);
    kernel_notes_free(&kernel);
    journal_free(&journal);
}

static struct capture captured(void)
{
    return (struct capture){.pid = 2,
                            .start_ticks = 1000,
                            .start_ns = 11 * SECOND,
                            .up_ns = 11 * SECOND,
                            .name_space = 7,
                            .step = UINT32_MAX,
                            .task = UINT32_MAX,
                            .exec = {"/opt/a", 6, 0}};
}

static int32_t find(const char *notes)
{
    struct capture capture = captured();
    int32_t pid;
    find_all(notes, &capture, 1, &pid);
    return pid;
}

TEST(the_only_process_that_fits_is_it)
{
    assert_int_equal(find(LISTEN NOTED("70", "10900000000", "1")), 70);
    assert_int_equal(find(LISTEN NOTED("51", "10900000000", "1") NOTED("70", "10900000000", "1")),
                     70); /* the other has a capture of its own */
    assert_int_equal(find(LISTEN NOTED("70", "10900000000", "1") NOTED("71", "10900000000", "2")),
                     70);
}

/* Two processes of the same program, of which a signal ended one. */
#define KILLED(pid, exec)                                                                          \
    "end " pid " 1 10005000000 0 30000000000 " exec " 1 1 9 0 0 0 0 0 0 0 0 0 0\n"

TEST(equal_processes_that_ended_alike_are_told_apart_by_their_order)
{
    struct capture capture[CAPTURES_MAX] = {captured(), captured()};
    int32_t pid[CAPTURES_MAX];
    find_all(LISTEN NOTED("70", "10800000000", "1") NOTED("71", "10900000000", "1"), capture, 2,
             pid);
    assert_true(pid[0] == 71 && pid[1] == 70); /* no process is there twice */
    find_all(LISTEN NOTED("70", "10900000000", "1"), capture, 2, pid);
    assert_true(pid[0] == 70 && pid[1] == 0);
}

TEST(equal_processes_are_told_apart_by_task_and_end)
{
    struct capture capture[CAPTURES_MAX] = {captured(), captured()};
    int32_t pid[CAPTURES_MAX];
    capture[0].step = capture[1].step = 0;
    capture[0].task = 0;
    capture[1].task = 1;
    find_all(LISTEN NOTED("70", "10800000000", "1") KILLED("71", "10900000000"), capture, 2, pid);
    assert_true(pid[0] == 70 && pid[1] == 71);
    capture[0] = capture[1] = captured();
    capture[0].end_ns = 40 * SECOND;
    find_all(LISTEN NOTED("70", "10800000000", "1") KILLED("71", "10900000000"), capture, 2, pid);
    assert_true(pid[0] == 70 && pid[1] == 71);
}

TEST(what_ended_in_two_ways_or_is_another_program_is_not_known)
{
    assert_int_equal(find(LISTEN NOTED("70", "10900000000", "1") KILLED("71", "10900000000")), 0);
    assert_int_equal(find(LISTEN NOTED("70", "10900000000", "2")), 0);
    assert_int_equal(find(LISTEN NOTED("70", "11900000000", "1")), 0); /* executed later */
    assert_int_equal(
        find(LISTEN "end 70 1 10200000000 0 40000000000 10900000000 1 1 768 0 0 0 0 0 0 0 0 0 0\n"),
        0); /* began later */
}

TEST(where_the_kernels_word_has_gaps_none_is_known)
{
    assert_int_equal(find(LISTEN NOTED("70", "10900000000", "1") "lost 5 5 1\n"), 0);
    assert_int_equal(find(LISTEN NOTED("70", "10900000000", "1") "left 1\n"), 0);
}
