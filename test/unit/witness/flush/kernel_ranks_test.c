/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/witness/flush/kernel_ranks.h"

#include "contrib/witness/facts/kernel_run.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_policy.h"

/* The witness listens from 1 to 100, since boot and since the Epoch. */
#define LISTEN  "left                    0\nlisten 1000000000 1000000000 1 1\n"
#define PROGRAM "program 1 - /opt/a\nprogram 2 - /bin/sh\n"
#define NOTED(pid, program)                                                                        \
    "end " pid " 1 10000000000 0 40000000000 10000000000 1 " program " 0 96 0 0 0 0 0 0 0 0 0\n"

/* Four tasks of a step of six, the others on another node; `program` was launched. The sizes of the
 * runs that are recorded, by pid. */
static void expect_sizes(const char *program, const char *sizes)
{
    static struct kernel_run run;
    static const char text[] =
        LISTEN PROGRAM NOTED("52", "1") NOTED("53", "1") NOTED("54", "2") NOTED("55", "1");
    char journal_text[1024], found[64] = "";
    size_t length = 0;
    struct kernel_notes kernel;
    struct journal journal;
    struct job_tasks tasks;
    struct kernel_ranks ranks;
    void *policy = compiled("[paths]\nkeep = .*\n");
    length += (size_t)snprintf(journal_text, sizeof journal_text,
                               "step time=5.000000000 job=1 uid=1 gid=1 step=0 tasks=6\n");
    for (int i = 2; i < 6; i++)
        length += (size_t)snprintf(
            journal_text + length, sizeof journal_text - length,
            "program time=9.000000000 step=0 task=%d leader=0 path=%s cwd=/\n"
            "task time=10.000000000 step=0 task=%d pid=%d ticks=1000 thread=1 busy=1\n",
            i, program, i, 50 + i);
    assert_int_equal(journal_parse(journal_text, length, &journal), 0);
    assert_int_equal(journal.bad_lines, 0);
    assert_int_equal(job_tasks_make(&journal, &tasks), 0);
    assert_int_equal(kernel_notes_parse(strdup(text), sizeof text - 1, &kernel), 0);
    const struct kernel_run_source source = {
        .policy = policy, .journal = &journal, .notes = &kernel};
    assert_int_equal(kernel_ranks_make(&source, &run, &ranks), 0);
    for (size_t i = 0; i < kernel.count; i++) {
        assert_true(kernel_run_find(&source, &kernel.noted[i], &run));
        bool leads = kernel_ranks_leads(&ranks, &source, &tasks, &kernel.noted[i], &run);
        length = strlen(found);
        snprintf(found + length, sizeof found - length, "%u ", leads ? run.capture.size : 0);
    }
    assert_string_equal(found, sizes);
    kernel_ranks_free(&ranks);
    kernel_notes_free(&kernel);
    job_tasks_free(&tasks);
    journal_free(&journal);
    free(policy);
}

TEST(a_program_of_ranks_has_one_run)
{
    expect_sizes("/opt/a", "0 0 1 0 ");      /* task 0 has it, on the other node */
    expect_sizes("/opt/script", "3 0 1 0 "); /* the script has started it here three times */
}
