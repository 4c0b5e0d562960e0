/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ranks of a step on a node, out of a journal and of what the kernel reported. Ticks are hundredths
 * of a second, the kernel's times nanoseconds since boot, which was at the Epoch.
 */
#include <stdbool.h>

#include "contrib/witness/facts/rank_summary.h"
#include "spank/journal.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_policy.h"

#define SECOND   UINT64_C(1000000000)
#define LISTENED "left 00000000000000000000\nlisten 0 0 1 1\n"
#define PROGRAMS                                                                                   \
    "program 1 - /sw/bin/x\nprogram 2 - /bin/bash\nprogram 3 - /usr/bin/orted\n"                   \
    "program 4 - /left/out\nprogram 5 - /sw/bin/y\nprogram 6 - /usr/bin/orterun\n"                 \
    "program 7 - /usr/bin/srun\nprogram 8 - time\n"

enum { END = 99 };

/* A process: pid, parent, start and end in seconds, program, status, lack, milliseconds, KiB. */
struct process {
    int pid, parent, start, parent_start, end, program, status, lack, run, peak;
};

/* Four tasks of step 0, of six in all, and one of step 1. */
#define STEPS                                                                                      \
    "prolog time=1.000000000 job=1 uid=1 gid=1 node=n1 partition=main account=a\n"                 \
    "step time=2.000000000 job=1 uid=1 gid=1 step=0 node=n1 nodes=2 tasks=6 local_tasks=4\n"       \
    "step time=2.000000000 job=1 uid=1 gid=1 step=1 node=n1 nodes=1 tasks=1 local_tasks=1\n"
#define TASKS                                                                                      \
    "task time=3.000000000 step=0 task=0 pid=50 ticks=1000\n"                                      \
    "task time=3.000000000 step=0 task=1 pid=51 ticks=1000\n"                                      \
    "task time=3.000000000 step=0 task=2 pid=52 ticks=1000\n"                                      \
    "task time=3.000000000 step=1 task=0 pid=60 ticks=1000\n"

static struct rank_summary summary;
static struct journal journal;
static struct kernel_notes notes;
static void *policy;

static int summarise(const char *lines, const char *first, const struct process *process,
                     size_t count)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    fputs(first, out);
    for (size_t i = 0; i < count; i++) {
        char line[512];
        const struct process *one = &process[i];
        const struct kernel_note note = {.pid = one->pid,
                                         .parent = one->parent,
                                         .start_ns = (uint64_t)one->start * SECOND,
                                         .parent_start_ns = (uint64_t)one->parent_start * SECOND,
                                         .end_ns = (uint64_t)one->end * SECOND,
                                         .program = (uint32_t)one->program,
                                         .status = one->status,
                                         .lack = (uint32_t)one->lack,
                                         .run_ns = (uint64_t)one->run * 1000000,
                                         .peak_kib = (uint64_t)one->peak,
                                         .major_faults = (uint64_t)one->peak / 100};
        assert_true(kernel_note_print("end", &note, line, sizeof line) > 0);
        fputs(line, out);
    }
    fclose(out);
    policy = compiled("[paths]\nskip = /left/.*\n");
    assert_int_equal(journal_parse(lines, strlen(lines), &journal), 0);
    assert_int_equal(kernel_notes_parse(text, size, &notes), 0);
    assert_int_equal(notes.bad_lines, 0);
    return rank_summary_make(&journal, &notes, policy, END * SECOND, &summary);
}

static int release(void **state)
{
    (void)state;
    rank_summary_free(&summary);
    kernel_notes_free(&notes);
    journal_free(&journal);
    free(policy);
    policy = NULL;
    return 0;
}

#define SUMMARISE(process)                                                                         \
    assert_int_equal(                                                                              \
        summarise(STEPS TASKS, LISTENED PROGRAMS, process, sizeof(process) / sizeof *(process)),   \
        0)

TEST(ranks_of_one_program_are_one_row)
{
    static const struct process processes[] = {
        {50, 9, 10, 1, 20, 1, 0, 0, 2000, 100},
        {51, 9, 10, 1, 14, 1, 9, 0, 1000, 400},
        {52, 9, 10, 1, 16, 1, 7 << 8, 0, 3000, 200},
        {60, 9, 10, 1, 90, 1, 0, 0, 9000, 900}, /* a step of one task */
    };
    SUMMARISE(processes);
    assert_int_equal(summary.count, 2);
    const struct rank_row *unseen = &summary.rows[0], *row = &summary.rows[1];
    assert_string_equal(unseen->program, "");
    assert_int_equal(unseen->ranks, 0);
    assert_int_equal(unseen->unseen, 1); /* Slurm says that there are four here */
    assert_int_equal(unseen->end_ns, END * SECOND);
    assert_string_equal(row->program, "/sw/bin/x");
    assert_int_equal(row->ranks, 3);
    assert_int_equal(row->unseen, 0);
    assert_int_equal(row->start_ns, 10 * SECOND);
    assert_int_equal(row->end_ns, 20 * SECOND);
    assert_int_equal(row->timed, 3);
    assert_int_equal(row->elapsed_ns.least, 4 * SECOND);
    assert_int_equal(row->elapsed_ns.most, 10 * SECOND);
    assert_true(row->elapsed_ns.sum == 20e9);
    assert_int_equal(row->measured, 3);
    assert_int_equal(row->run_ns.least, SECOND);
    assert_int_equal(row->peak_kib.most, 400);
    assert_int_equal(row->major_faults.most, 4);
    assert_int_equal(row->faulting, row->largest);
    assert_int_equal(row->largest, 1);
    assert_int_equal(row->zero, 1);
    assert_int_equal(row->coded, 1);
    assert_int_equal(row->signaled, 1);
    assert_int_equal(row->unknown, 0);
    assert_int_equal(row->end_count, 3);
    assert_int_equal(row->failed_task, 1);
    assert_int_equal(row->failed_ns, 14 * SECOND);
    assert_int_equal(row->failed_status, 9);
}

TEST(what_is_a_bound_alone_is_not_summed)
{
    static const struct process processes[] = {
        {50, 9, 10, 1, 20, 1, 0, 0, 2000, 100},
        {51, 9, 10, 1, 80, 1, 0, KERNEL_LACK_END | KERNEL_LACK_STATUS, 0, 0},
        {52, 9, 10, 1, 16, 1, 0, KERNEL_LACK_THREADS, 3000, 200},
    };
    SUMMARISE(processes);
    const struct rank_row *row = &summary.rows[1];
    assert_int_equal(row->ranks, 3);
    assert_int_equal(row->timed, 2);
    assert_int_equal(row->elapsed_ns.most, 10 * SECOND);
    assert_int_equal(row->measured, 1);
    assert_int_equal(row->peak_kib.most, 100);
    assert_int_equal(row->zero, 2);
    assert_int_equal(row->unknown, 1);
    assert_int_equal(row->failed_ns, 0);
}

TEST(a_task_is_what_its_wrapper_and_shell_have_started_first)
{
    static const struct process processes[] = {
        {50, 9, 10, 1, 20, 8, 0, 0, 0, 0},        {70, 50, 11, 10, 12, 4, 0, 0, 0, 0},
        {71, 50, 13, 10, 19, 2, 0, 0, 0, 0},      {72, 71, 15, 13, 16, 5, 3 << 8, 0, 0, 0},
        {73, 71, 14, 13, 18, 1, 5 << 8, 0, 0, 0}, {51, 9, 10, 1, 20, 4, 0, 0, 0, 0},
        {52, 9, 10, 1, 20, 0, 127 << 8, 0, 0, 0},
    };
    SUMMARISE(processes);
    assert_int_equal(summary.count, 2); /* and one that was not seen; the others ran nothing */
    const struct rank_row *row = &summary.rows[1];
    assert_string_equal(row->program, "/sw/bin/x");
    assert_int_equal(row->ranks, 1);
    assert_int_equal(row->failed_task, 0);
    assert_int_equal(row->failed_status, 5 << 8);
}

TEST(each_child_of_a_daemon_is_a_rank_without_a_number)
{
    static const struct process processes[] = {
        {50, 9, 10, 1, 20, 3, 0, 0, 0, 0},     {70, 50, 11, 10, 15, 1, 0, 0, 10, 10},
        {71, 50, 11, 10, 15, 2, 0, 0, 0, 0},   {72, 71, 12, 11, 14, 1, 0, 0, 20, 20},
        {73, 71, 13, 11, 14, 1, 0, 0, 30, 30}, {74, 50, 11, 10, 15, 1, 9, 0, 40, 40},
    };
    SUMMARISE(processes);
    assert_int_equal(summary.count, 2);
    assert_int_equal(summary.rows[0].unseen, 3);
    const struct rank_row *row = &summary.rows[1];
    assert_int_equal(row->ranks, 3);
    assert_int_equal(row->peak_kib.most, 40);
    assert_int_equal(row->largest, JOURNAL_NONE);
    assert_int_equal(row->failed_task, JOURNAL_NONE);
    assert_true(row->failed_ns == 15 * SECOND);
}

TEST(what_a_launcher_below_a_single_task_has_started_are_ranks)
{
    static const struct process processes[] = {
        {60, 9, 10, 1, 90, 2, 0, 0, 0, 0},    {70, 60, 11, 10, 20, 6, 0, 0, 0, 0},
        {71, 70, 12, 11, 15, 1, 0, 0, 0, 10}, {72, 70, 12, 11, 15, 2, 0, 0, 0, 0},
        {73, 72, 13, 12, 15, 1, 9, 0, 0, 20}, {74, 60, 21, 10, 30, 6, 0, 0, 0, 0},
        {75, 74, 22, 21, 25, 1, 0, 0, 0, 99}, /* it has started no other one */
        {76, 60, 31, 10, 40, 6, 0, 0, 0, 0},  {77, 76, 32, 31, 35, 5, 0, 0, 0, 0},
        {78, 76, 32, 31, 35, 7, 0, 0, 0, 0},  /* and daemons elsewhere */
        {79, 60, 41, 10, 50, 1, 0, 0, 0, 99}, /* none of a launcher's */
    };
    SUMMARISE(processes);
    assert_int_equal(summary.count, 3); /* and those of step 0 that were not seen */
    const struct rank_row *row = &summary.rows[1], *far = &summary.rows[2];
    assert_int_equal(row->step->step, 1);
    assert_string_equal(row->program, "/sw/bin/x");
    assert_int_equal(row->ranks, 2);
    assert_int_equal(row->unseen, 0);
    assert_int_equal(row->peak_kib.most, 20);
    assert_int_equal(row->largest, JOURNAL_NONE);
    assert_int_equal(row->signaled, 1);
    assert_string_equal(far->program, "/sw/bin/y");
    assert_int_equal(far->ranks, 1);
}

TEST(a_rank_that_is_older_than_its_witness_has_no_program)
{
    static const struct process processes[] = {
        {50, 9, 10, 1, 20, 0, 15, KERNEL_LACK_START, 1, 1},
        {51, 9, 10, 1, 20, 1, 0, 0, 0, 0},
    };
    SUMMARISE(processes);
    assert_int_equal(summary.count, 2);
    assert_string_equal(summary.rows[0].program, "");
    assert_int_equal(summary.rows[0].ranks, 1);
    assert_int_equal(summary.rows[0].unseen, 2);
    assert_int_equal(summary.rows[0].measured, 0);
    assert_int_equal(summary.rows[0].timed, 1);
    assert_int_equal(summary.rows[0].signaled, 1);
}

/* One pid may be that of another process later, and a circle is no tree. */
TEST(processes_that_cannot_be_do_no_harm)
{
    static const struct process processes[] = {
        {50, 50, 10, 10, 20, 2, 0, 0, 0, 0}, {70, 50, 11, 10, 20, 3, 0, 0, 0, 0},
        {50, 70, 30, 11, 40, 1, 0, 0, 0, 0}, {71, 70, 5, 11, 20, 2, 0, 0, 0, 0},
        {70, 71, 11, 5, 20, 1, 0, 0, 0, 0},
    };
    SUMMARISE(processes);
    assert_true(summary.count >= 1);
}

TEST(without_a_witness_nothing_is_said)
{
    assert_int_equal(summarise(STEPS TASKS, "", NULL, 0), 0);
    assert_int_equal(summary.count, 0);
    release(NULL);
    assert_int_equal(summarise(STEPS TASKS, LISTENED, NULL, 0), 0);
    assert_int_equal(summary.count, 1);
    assert_int_equal(summary.rows[0].unseen, 4);
}

EACH(NULL, release)
