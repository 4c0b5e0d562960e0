/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which job of Slurm's a process is in, by its cgroup.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "submit/job/slurm_job.h"

static void cgroups_of_tasks_tell_the_job(void **state)
{
    (void)state;
    assert_int_equal(slurm_job_of_cgroup("9:name=systemd:/system.slice/slurmd.service\n"
                                         "6:freezer:/slurm/uid_1000/job_71/step_batch\n0::/\n"),
                     71);
    assert_int_equal(slurm_job_of_cgroup("6:freezer:/slurm_n1/uid_1000/job_71/step_0/task_0\n"),
                     71);
    assert_int_equal(slurm_job_of_cgroup(
                         "0::/system.slice/slurmstepd.scope/job_4294967295/step_0/user/task_0\n"),
                     UINT32_MAX);
    assert_int_equal(
        slurm_job_of_cgroup("0::/system.slice/n1_slurmstepd.scope/job_8/step_extern\n"), 8);
}

static void other_cgroups_tell_none(void **state)
{
    (void)state;
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
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_int_equal(slurm_job_of_cgroup(others[i]), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cgroups_of_tasks_tell_the_job),
        cmocka_unit_test(other_cgroups_tell_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
