/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/task_ranks.h"

#include "spank/journal.h"
#include "test/unit/fixture/cases.h"

enum { TASK_PID = 40, SOLVER = 7, PROCESSES = 8 };

struct made {
    const char *name;
    uint32_t rank, size;
    uint64_t program;
    int32_t pid;
};

/* The ranks of a task of the step with these processes: the names of each in a row. */
static const char *ranks_of(uint32_t step, const struct made *made, size_t count)
{
    static char text[256];
    struct profiled_process processes[PROCESSES] = {{.offset = 0}};
    struct profiled_object objects[PROCESSES] = {{.path = NULL}};
    struct profile_content content = {.processes = processes, .process_count = count};
    struct task_process *sorted;
    char path[PROCESSES][16];
    size_t length = 0;
    for (size_t i = 0; i < count; i++) {
        snprintf(path[i], sizeof path[i], "%s", made[i].name);
        objects[i] = (struct profiled_object){.path = path[i], .is_executable = true};
        processes[i] = (struct profiled_process){.offset = i,
                                                 .pid = made[i].pid,
                                                 .task_pid = TASK_PID,
                                                 .step = step,
                                                 .rank = made[i].rank,
                                                 .size = made[i].size,
                                                 .program = made[i].program,
                                                 .objects = &objects[i],
                                                 .object_count = 1};
    }
    assert_int_equal(task_ranks_sort(&content, &sorted), 0);
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        const char *between = i == 0                                            ? ""
                              : task_ranks_are_same(&sorted[i - 1], &sorted[i]) ? "+"
                                                                                : " ";
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s", between,
                                   profiled_executable(sorted[i].process));
    }
    free(sorted);
    return text;
}

TEST(what_a_script_runs_beside_mpirun_is_apart)
{
    const struct made script[] = {{"prepare", 0, 1, 0, 50},      {"solver1", 1, 3, SOLVER, 61},
                                  {"solver0", 0, 3, SOLVER, 60}, {"prepare", 0, 1, 0, 51},
                                  {"solver0", 0, 3, SOLVER, 62}, {"finish", 0, 1, 0, 70}};
    assert_string_equal(ranks_of(JOURNAL_STEP_BATCH, script, 6),
                        "finish prepare+prepare solver0+solver0 solver1");
    assert_string_equal(ranks_of(JOURNAL_STEP_BATCH, script, 2), "prepare solver1");
    /* a script without ranks is one */
    assert_string_equal(ranks_of(JOURNAL_STEP_BATCH, script, 1), "prepare");
    const struct made two[] = {{"one", 0, 1, 0, 50}, {"two", 0, 1, 0, 51}};
    assert_string_equal(ranks_of(JOURNAL_STEP_BATCH, two, 2), "one+two");
}

TEST(a_daemon_that_starts_ranks_is_apart)
{
    const struct made task[] = {
        {"orted", 0, 1, 0, TASK_PID}, {"solver4", 4, 8, SOLVER, 60}, {"solver5", 5, 8, SOLVER, 61}};
    assert_string_equal(ranks_of(0, task, 3), "orted solver4 solver5");
    assert_string_equal(ranks_of(0, task, 2), "orted solver4");
}

TEST(what_the_only_rank_of_a_task_runs_is_its)
{
    const struct made task[] = {{"helper", 0, 1, 0, 50},
                                {"solver4", 4, 8, SOLVER, TASK_PID},
                                {"helper", 0, 1, 0, 51},
                                {"solver5", 5, 8, SOLVER, 60}};
    assert_string_equal(ranks_of(0, task, 3), "helper+helper+solver4");
    assert_string_equal(ranks_of(0, task, 4), "helper+helper solver4 solver5");
}

TEST(programs_of_one_rank_each_are_told_apart_by_their_names)
{
    const struct made script[] = {{"one", 0, 1, 5, 50},
                                  {"one", 0, 1, 6, 51},
                                  {"two", 1, 2, SOLVER, 60},
                                  {"one", 0, 1, 5, 52}};
    assert_string_equal(ranks_of(JOURNAL_STEP_BATCH, script, 4), "one+one one two");
}
