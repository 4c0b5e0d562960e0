/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which job of Slurm's a process is in, by its cgroup: the texts are those of cgroup v1 and v2 with
 * Slurm 22.05 to 26.05. The link of a SLUID is made as the plugin does, and goes with the job.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "spank/job_sluid.h"
#include "submit/job/job_cgroups.h"
#include "submit/job/spool_remove.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_tree.h"

#define SLUID "sJ8Z3V0CEB4N00"

static int make_job(const char *name)
{
    assert_int_equal(mkdir(below(name), 0700), 0);
    int job = open(below(name), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(job >= 0);
    return job;
}

TEST(cgroups_of_tasks_tell_the_job)
{
    static const struct {
        uint32_t job;
        const char *text;
    } tasks[] = {
        {71, "9:name=systemd:/system.slice/slurmd.service\n"
             "6:freezer:/slurm/uid_1000/job_71/step_batch\n0::/\n"},
        {71, "6:freezer:/slurm_n1/uid_1000/job_71/step_0/task_0\n"},
        {UINT32_MAX, "0::/system.slice/slurmstepd.scope/job_4294967295/step_0/user/task_0\n"},
        {8, "0::/system.slice/n1_slurmstepd.scope/job_8/step_extern\n"},
        /* the job of Slurm's comes first, whatever a process makes below */
        {8, "0::/system.slice/slurmstepd.scope/job_8/step_0/user/task_0/slurm/job_9/x\n"},
        {8, "0::/system.slice/slurmstepd.scope/job_8/step_0/user/task_0/" SLUID "/x\n"},
    };
    for (size_t i = 0; i < sizeof tasks / sizeof tasks[0]; i++)
        assert_int_equal(slurm_job_of_cgroup(made_tree, tasks[i].text), tasks[i].job);
}

TEST(other_cgroups_tell_none)
{
    static const char *const others[] = {
        "",
        "0::/\n",
        "0::/user.slice/user-1000.slice/session-3.scope\n",
        "0::/system.slice/slurmd.service\n",
        "0::/system.slice/slurmstepd.scope/system\n",
        "0::/pbs.slice/job_17/x\n",
        "1:cpu:/slurm\n2:memory:/other/job_17/x\n",
        "0::/slurm/job_\n",
        "0::/slurm/job_0/step_0\n",
        "0::/slurm/job_-1/step_0\n",
        "0::/slurm/job_12x/step_0\n",
        "0::/slurm/job_4294967296/step_0\n",
        "0::/slurm/job_99999999999999999999999/step_0\n",
        "0::/system.slice/slurmstepd.scope/" SLUID "/step_0\n", /* has no link */
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_int_equal(slurm_job_of_cgroup(made_tree, others[i]), 0);
}

static uint32_t job_of(const char *cgroup)
{
    char text[256];
    snprintf(text, sizeof text, "1:name=x:/\n0::/system.slice/n1_slurmstepd.scope/%s\n", cgroup);
    return slurm_job_of_cgroup(made_tree, text);
}

TEST(a_sluid_tells_the_job_that_root_has_noted)
{
    int job = make_job("71.2");
    job_sluid_note(job, "71.2", SLUID);
    assert_int_equal(job_of(SLUID "/step_0/user/task_0"), 71);
    assert_int_equal(job_of(SLUID "/step_extern/slurm"), 71);
    assert_int_equal(job_of("sJ8Z3V0CEB4N01/step_0/user/task_0"), 0);
    assert_int_equal(job_of(SLUID "0/step_0"), 0);
    assert_int_equal(job_of(SLUID), 0);
    /* resized: the step's daemon knows it by its cgroup */
    job_sluid_note(job, "71.2", "sJ8Z3V0CEB4N02/step_1/slurm");
    assert_int_equal(job_of("sJ8Z3V0CEB4N02/step_1/user/task_0"), 71);
    close(job);
}

TEST(what_is_no_sluid_is_not_noted)
{
    static const char *const others[] = {
        "",
        "s",
        "/",
        "..",
        "job_7",
        "sJ8Z3V0CEB4N0",
        SLUID "0",
        "SJ8Z3V0CEB4N00",
        "sj8z3v0ceb4n00",
        "sJ8Z3V0CEB4/00",
        "s../../../../../..",
        SLUID "\n",
    };
    int job = make_job("71.0");
    job_sluid_note(job, "71.0", NULL);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        job_sluid_note(job, "71.0", others[i]);
    close(job);
    assert_int_equal(rmdir(below("71.0")), 0);
    assert_int_equal(rmdir(made_tree), 0); /* was empty */
    assert_int_equal(mkdir(made_tree, 0700), 0);
}

TEST(the_links_go_with_the_job)
{
    struct spool_job removed = {.job = 71, .restart = 0, .name = "71.0"};
    int spool = open(made_tree, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int job = make_job("71.0"), other = make_job("71.1");
    job_sluid_note(job, "71.0", SLUID);
    job_sluid_note(job, "71.0", "sJ8Z3V0CEB4N02");
    job_sluid_note(other, "71.1", "sJ8Z3V0CEB4N03");
    assert_int_equal(spool_remove(spool, job, &removed), 0);
    assert_int_equal(job_of(SLUID "/x"), 0);
    assert_int_equal(job_of("sJ8Z3V0CEB4N02/x"), 0);
    assert_int_equal(job_of("sJ8Z3V0CEB4N03/x"), 71);
    close(job);
    close(other);
    close(spool);
}

EACH(made_tree_set_up, made_tree_tear_down)
