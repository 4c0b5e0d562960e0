/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the environment says about tracking, by environments as launchers make them.
 */
#include "preload/switches.h"
#include "test/unit/fixture/cases.h"

enum { ENTRIES_MAX = 16 };

#define READ(...) read_environment((const char *const[]){__VA_ARGS__, NULL})

static struct switches read_environment(const char *const *entries)
{
    struct switches switches;
    memset(&switches, 0x5a, sizeof switches);
    switches_read((char **)(uintptr_t)entries, &switches);
    return switches;
}

TEST(an_empty_environment_says_nothing)
{
    char *envp[] = {NULL};
    struct switches switches;
    switches_read(envp, &switches);
    assert_null(switches.spool);
    assert_null(switches.policy);
    assert_null(switches.task);
    assert_null(switches.testing_runtime);
    assert_null(switches.always_ranks);
    assert_null(switches.threads);
    assert_int_equal(switches.task_pid, 0);
    assert_int_equal(switches.executable, SWITCH_UNSET);
    assert_int_equal(switches.command_line, SWITCH_UNSET);
    assert_int_equal(switches.trace, TRACE_OFF);
    assert_int_equal(switches.rank, 0);
    assert_int_equal(switches.size, 1);
    assert_int_equal(switches.leader, 0);
}

TEST(switches_are_yes_or_no)
{
    struct switches switches =
        READ("XALT_EXECUTABLE_TRACKING=yes", "XALT_SCALAR_TRACKING=no",
             "XALT_MPI_TRACKING=", "XALT_GPU_TRACKING=YES", "XALT_SAMPLING=yes ",
             "XALT_SIGNAL_HANDLER", "XXALT_CMDLINE_RECORD=no");
    assert_int_equal(switches.executable, SWITCH_YES);
    assert_int_equal(switches.scalar, SWITCH_NO);
    assert_int_equal(switches.mpi, SWITCH_NO);
    assert_int_equal(switches.gpu, SWITCH_NO);
    assert_int_equal(switches.sampling, SWITCH_NO);
    assert_int_equal(switches.signal_handler, SWITCH_UNSET);
    assert_int_equal(switches.command_line, SWITCH_UNSET);
}

TEST(tracing_is_for_all_or_for_rank_0)
{
    assert_int_equal(READ("XALT_TRACING=yes").trace, TRACE_ALL);
    assert_int_equal(READ("XALT_TRACING=run").trace, TRACE_ALL);
    assert_int_equal(READ("XALT_TRACING=yes0").trace, TRACE_RANK_0);
    assert_int_equal(READ("XALT_TRACING=link").trace, TRACE_OFF);
    assert_int_equal(READ("XALT_TRACING=").trace, TRACE_OFF);
}

TEST(texts_are_those_of_the_environment)
{
    static const char *const entries[] = {"JOBTRAIL_SPOOL=/spool/7.0/user",
                                          "JOBTRAIL_POLICY=/etc/jobtrail/jobtrail.policy",
                                          "JOBTRAIL_TASK=0.3.4711",
                                          "XALT_TESTING_RUNTIME=120",
                                          "XALT_MPI_ALWAYS_RECORD=64",
                                          "JOBTRAIL_SPOOLS=x",
                                          NULL};
    struct switches switches = read_environment(entries);
    assert_ptr_equal(switches.spool, entries[0] + strlen("JOBTRAIL_SPOOL="));
    assert_string_equal(switches.policy, "/etc/jobtrail/jobtrail.policy");
    assert_string_equal(switches.task, "0.3.4711");
    assert_int_equal(switches.task_pid, 4711);
    assert_string_equal(switches.testing_runtime, "120");
    assert_string_equal(switches.always_ranks, "64");
}

TEST(a_task_without_a_pid_has_none)
{
    static const char *const tasks[] = {"JOBTRAIL_TASK=",      "JOBTRAIL_TASK=0",
                                        "JOBTRAIL_TASK=0.3",   "JOBTRAIL_TASK=0.3.",
                                        "JOBTRAIL_TASK=0.3.x", "JOBTRAIL_TASK=..-5"};
    for (size_t i = 0; i < sizeof tasks / sizeof tasks[0]; i++)
        assert_int_equal(READ(tasks[i]).task_pid, 0);
}

struct launch_case {
    const char *launcher;
    const char *environment[ENTRIES_MAX];
    uint32_t rank, size, leader;
};

static void expect(const struct launch_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct switches found = read_environment(cases[i].environment);
        if (found.rank != cases[i].rank || found.size != cases[i].size ||
            found.leader != cases[i].leader)
            fail_msg("%s: rank %u of %u, leader %u", cases[i].launcher, (unsigned)found.rank,
                     (unsigned)found.size, (unsigned)found.leader);
    }
}

#define EXPECT(cases) expect(cases, sizeof(cases) / sizeof(cases)[0])

TEST(launchers_say_rank_and_size)
{
    static const struct launch_case cases[] = {
        {"srun", {"SLURM_PROCID=3", "SLURM_STEP_NUM_TASKS=8"}, 3, 8, 0},
        {"srun, a program of its own", /* multi-prog: the plugin knows which rank records */
         {"SLURM_PROCID=3", "SLURM_STEP_NUM_TASKS=8", "JOBTRAIL_LEADER=2"},
         3,
         8,
         2},
        {"srun with PMI-2", {"PMI_RANK=5", "PMI_SIZE=6", "SLURM_PROCID=5"}, 5, 6, 0},
        {"srun with PMIx", {"PMIX_RANK=4", "SLURM_PROCID=4", "SLURM_STEP_NUM_TASKS=5"}, 4, 5, 0},
        {"Open MPI's mpirun in a job of Slurm's, whose daemon is task 0",
         {"SLURM_PROCID=0", "SLURM_STEP_NUM_TASKS=1", "OMPI_COMM_WORLD_RANK=7",
          "OMPI_COMM_WORLD_SIZE=9", "JOBTRAIL_LEADER=0"},
         7,
         9,
         0},
        {"MVAPICH's",
         {"MV2_COMM_WORLD_RANK=2", "MV2_COMM_WORLD_SIZE=4", "JOBTRAIL_LEADER=1"},
         2,
         4,
         0},
        {"a site's own, with XALT's variable",
         {"XALT_COMM_WORLD_SIZE=16", "OMPI_COMM_WORLD_SIZE=2", "OMPI_COMM_WORLD_RANK=1"},
         1,
         16,
         0},
    };
    EXPECT(cases);
}

/* mpirun -n 4 A : -n 2 B */
TEST(the_programs_of_one_mpirun_record_by_their_first_rank)
{
    static const struct launch_case cases[] = {
        {"first of A",
         {"OMPI_COMM_WORLD_RANK=0", "OMPI_COMM_WORLD_SIZE=6", "OMPI_APP_CTX_NUM_PROCS=4 2"},
         0,
         6,
         0},
        {"last of A",
         {"OMPI_COMM_WORLD_RANK=3", "OMPI_COMM_WORLD_SIZE=6", "OMPI_APP_CTX_NUM_PROCS=4 2"},
         3,
         6,
         0},
        {"last of B",
         {"OMPI_COMM_WORLD_RANK=5", "OMPI_COMM_WORLD_SIZE=6", "OMPI_APP_CTX_NUM_PROCS=4 2"},
         5,
         6,
         4},
        {"beyond what is listed",
         {"OMPI_COMM_WORLD_RANK=6", "OMPI_COMM_WORLD_SIZE=7", "OMPI_APP_CTX_NUM_PROCS=4 2"},
         6,
         7,
         0},
        {"no list",
         {"OMPI_COMM_WORLD_RANK=6", "OMPI_COMM_WORLD_SIZE=7", "OMPI_APP_CTX_NUM_PROCS=x"},
         6,
         7,
         0},
        {"numbers that wrap around in 32 bits",
         {"OMPI_COMM_WORLD_RANK=1", "OMPI_COMM_WORLD_SIZE=7",
          "OMPI_APP_CTX_NUM_PROCS=0 4294967295 4294967295"},
         1,
         7,
         0},
    };
    EXPECT(cases);
}

TEST(numbers_of_users_are_bounded)
{
    static const struct launch_case cases[] = {
        {"size 0", {"SLURM_PROCID=0", "SLURM_STEP_NUM_TASKS=0"}, 0, 1, 0},
        {"size x", {"SLURM_STEP_NUM_TASKS=x"}, 0, 1, 0},
        {"negative", {"SLURM_PROCID=-1", "SLURM_STEP_NUM_TASKS=-8"}, 0, 1, 0},
        {"more than 32 bits",
         {"SLURM_PROCID=99999999999999999999", "SLURM_STEP_NUM_TASKS=4294967296"},
         UINT32_MAX,
         UINT32_MAX,
         0},
        {"a name alone", {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "OMPI", "P", ""}, 0, 1, 0},
    };
    EXPECT(cases);
}
