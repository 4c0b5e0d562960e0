/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the environment says of tracking, of ranks and of who records for all of them.
 */
#include "preload/switches.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Of the NULL-terminated list of entries. */
#define READ(...) read_switches((char *[]){__VA_ARGS__ __VA_OPT__(, ) NULL})

static struct switches read_switches(char **entries)
{
    struct switches switches;
    switches_read(entries, &switches);
    return switches;
}

static void an_empty_environment_leaves_all_to_the_site(void **state)
{
    (void)state;
    struct switches switches = READ();
    assert_null(switches.spool);
    assert_null(switches.policy);
    assert_int_equal(switches.executable, SWITCH_UNSET);
    assert_int_equal(switches.trace, TRACE_OFF);
    assert_int_equal(switches.size, 1);
    assert_int_equal(switches.rank, 0);
    assert_int_equal(switches.leader, 0);
}

static void switches_are_yes_or_not(void **state)
{
    (void)state;
    struct switches switches =
        READ("XALT_EXECUTABLE_TRACKING=yes", "XALT_SCALAR_TRACKING=no", "XALT_MPI_TRACKING=YES",
             "XALT_GPU_TRACKING", "XALT_SAMPLINGS=yes", "XALT_TRACING=yes0",
             "XALT_TESTING_RUNTIME=3.5", "XALT_MPI_ALWAYS_RECORD=16");
    assert_int_equal(switches.executable, SWITCH_YES);
    assert_int_equal(switches.scalar, SWITCH_NO);
    assert_int_equal(switches.mpi, SWITCH_NO);
    assert_int_equal(switches.gpu, SWITCH_UNSET);
    assert_int_equal(switches.sampling, SWITCH_UNSET);
    assert_int_equal(switches.trace, TRACE_RANK_0);
    assert_string_equal(switches.testing_runtime, "3.5");
    assert_string_equal(switches.always_ranks, "16");
    assert_int_equal(READ("XALT_TRACING=run").trace, TRACE_ALL);
    assert_int_equal(READ("XALT_TRACING=link").trace, TRACE_OFF);
}

static void the_plugins_variables_are_taken(void **state)
{
    (void)state;
    struct switches switches =
        READ("JOBTRAIL_SPOOL=/s/1.0", "JOBTRAIL_POLICY=/p", "JOBTRAIL_TASK=0.7.1234");
    assert_string_equal(switches.spool, "/s/1.0");
    assert_string_equal(switches.policy, "/p");
    assert_string_equal(switches.task, "0.7.1234");
    assert_int_equal(switches.task_pid, 1234);
    assert_int_equal(READ("JOBTRAIL_TASK=0.7").task_pid, 0);
    assert_int_equal(READ("JOBTRAIL_TASK=").task_pid, 0);
}

static void launchers_come_before_slurm(void **state)
{
    (void)state;
    struct switches switches =
        READ("SLURM_PROCID=5", "SLURM_STEP_NUM_TASKS=8", "PMI_RANK=1", "PMI_SIZE=2",
             "OMPI_COMM_WORLD_RANK=3", "OMPI_COMM_WORLD_SIZE=4");
    assert_int_equal(switches.rank, 3);
    assert_int_equal(switches.size, 4);
    switches = READ("SLURM_PROCID=5", "SLURM_STEP_NUM_TASKS=8", "PMI_RANK=1", "PMI_SIZE=2");
    assert_int_equal(switches.rank, 1);
    assert_int_equal(switches.size, 2);
    switches = READ("SLURM_PROCID=5", "SLURM_STEP_NUM_TASKS=8", "XALT_COMM_WORLD_SIZE=0");
    assert_int_equal(switches.rank, 5);
    assert_int_equal(switches.size, 1);
}

static void each_program_of_a_launch_has_a_leader(void **state)
{
    static const unsigned leaders[] = {0, 0, 0, 0, 4, 4, 6, 6, 6, 0};
    char rank[] = "OMPI_COMM_WORLD_RANK=0";
    (void)state;
    for (unsigned i = 0; i < 10; i++) {
        rank[sizeof rank - 2] = (char)('0' + i);
        assert_int_equal(READ("OMPI_APP_CTX_NUM_PROCS=4 2 3", rank, "JOBTRAIL_LEADER=9").leader,
                         leaders[i]);
    }
    assert_int_equal(READ("SLURM_PROCID=7", "JOBTRAIL_LEADER=6").leader, 6);
    assert_int_equal(READ("MV2_COMM_WORLD_RANK=7", "JOBTRAIL_LEADER=6").leader, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_environment_leaves_all_to_the_site),
        cmocka_unit_test(switches_are_yes_or_not),
        cmocka_unit_test(the_plugins_variables_are_taken),
        cmocka_unit_test(launchers_come_before_slurm),
        cmocka_unit_test(each_program_of_a_launch_has_a_leader),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
