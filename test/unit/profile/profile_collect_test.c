/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/profile_collect.h"

#include "test/unit/fixture/cases.h"

/* A process of the only rank of a task. */
static void make_process(struct profiled_process *process, const char *path, uint64_t mpi_calls)
{
    static const struct profiled_routine barrier = {.name = "MPI_Barrier",
                                                    .flags = PROFILE_ROUTINE_MPI};
    *process = (struct profiled_process){.pid = 9, .rank = 1, .size = 4, .has_ended = true};
    process->objects = calloc(1, sizeof *process->objects);
    process->routines = calloc(1, sizeof *process->routines);
    assert_true(process->objects != NULL && process->routines != NULL);
    process->objects[0] = (struct profiled_object){.path = strdup(path), .is_executable = true};
    process->object_count = 1;
    process->routines[0] = barrier;
    process->routines[0].calls = mpi_calls;
    process->routine_count = 1;
    assert_int_equal(call_tree_begin(&process->tree), 0);
}

/* The only rank of three processes, of which the second one called MPI so often. */
static const char *name_of(uint64_t mpi_calls)
{
    static char name[16];
    const struct collect_facts facts = {.node = "n1"};
    struct profile_content content = {.processes = calloc(3, sizeof *content.processes),
                                      .process_count = 3};
    struct profile_set set;
    assert_non_null(content.processes);
    make_process(&content.processes[0], "/bin/prepare", 0);
    make_process(&content.processes[1], "/bin/solver", mpi_calls);
    make_process(&content.processes[2], "/bin/finish", 0);
    for (size_t i = 0; i < 3; i++)
        content.processes[i].offset = i;
    assert_int_equal(profile_set_begin(&set), 0);
    assert_int_equal(profile_collect(&content, &facts, &set), 0);
    assert_int_equal(set.rank_count, 1);
    assert_int_equal(set.ranks[0].processes, 3);
    assert_int_not_equal(set.ranks[0].executable, 0);
    snprintf(name, sizeof name, "%s", set.names.text[set.ranks[0].executable - 1]);
    profile_set_free(&set);
    profile_content_free(&content);
    return name;
}

TEST(a_rank_of_several_programs_has_the_name_of_that_which_calls_mpi)
{
    assert_string_equal(name_of(3), "/bin/solver");
    assert_string_equal(name_of(0), "/bin/prepare");
}
