/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/job/job_cgroups.h"

#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_tree.h"

static int make_cgroups(void **state)
{
    char command[512];
    if (made_tree_set_up(state) != 0)
        return -1;
    snprintf(command, sizeof command,
             "cd %s && mkdir -p system.slice/slurmstepd.scope/job_42/step_3/user "
             "freezer/slurm/uid_7/job_43/step_batch systemd/slurm.scope/job_44 "
             "unified/slurm.scope/job_45/step_0",
             made_tree);
    return system(command);
}

static uint32_t step;

static uint32_t job_of(const char *text)
{
    const struct job_cgroups cgroups = {"/nowhere", made_tree, getuid()};
    uint32_t job = 1;
    step = 1;
    job_cgroups_find(&cgroups, text, &job, &step);
    return job;
}

TEST(a_job_is_found_with_its_step)
{
    assert_int_equal(job_of("0::/system.slice/slurmstepd.scope/job_42/step_3/user/task_0\n"), 42);
    assert_int_equal(step, 3);
    assert_int_equal(job_of("8:memory:/x\n7:freezer:/slurm/uid_7/job_43/step_batch\n"), 43);
    assert_int_equal(step, JOB_CGROUPS_NONE);
    assert_int_equal(job_of("1:name=systemd:/slurm.scope/job_44/x\n"), 44);
    assert_int_equal(job_of("1:name=systemd:/\n0::/slurm.scope/job_45/step_0/x"), 45);
    assert_int_equal(step, 0);
}

TEST(a_directory_that_is_not_roots_or_not_there_is_no_job)
{
    const struct job_cgroups others = {"/nowhere", made_tree, getuid() + 1};
    uint32_t job = 1;
    job_cgroups_find(&others, "0::/system.slice/slurmstepd.scope/job_42/step_3/x\n", &job, &step);
    assert_int_equal(job, JOB_CGROUPS_NONE);
    assert_int_equal(job_of("0::/user.slice/slurm.scope/job_42/step_3/x\n"), JOB_CGROUPS_NONE);
    assert_int_equal(job_of("0::/../system.slice/slurmstepd.scope/job_42/x\n"), JOB_CGROUPS_NONE);
    assert_int_equal(job_of("0:/slurm/job_42/x\n"), JOB_CGROUPS_NONE);
    assert_int_equal(job_of("slurm/job_42/x\n"), JOB_CGROUPS_NONE);
    assert_int_equal(job_of(""), JOB_CGROUPS_NONE);
    /* a forged one does not hide the true one */
    assert_int_equal(job_of("1:name=systemd:/u/slurm.scope/job_9/x\n"
                            "0::/system.slice/slurmstepd.scope/job_42/step_3/x\n"),
                     42);
}

ALL(make_cgroups, made_tree_tear_down)
