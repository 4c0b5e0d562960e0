/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which programs launch others, by the names that MPIs and distributions give them. The built-in
 * rules for paths leave out the same ones.
 */
#include <stdbool.h>

#include "conf/compile.h"
#include "conf/conf.h"
#include "conf/policy/policy_read.h"
#include "submit/facts/program_name.h"
#include "test/unit/fixture/cases.h"

static void check_name(const void *policy, const char *name, bool is_launcher, bool is_run)
{
    char path[256];
    int length = snprintf(path, sizeof path, "/usr/bin/%s", name);
    if (program_is_launcher(path, (size_t)length) != is_launcher)
        fail_msg("%s is %s launcher", name, is_launcher ? "no" : "a");
    struct policy_decision found = policy_decide(policy, path, (size_t)length, 0, NULL, NULL);
    if ((found.action != POLICY_SKIP) != is_run)
        fail_msg("%s is %s run", name, is_run ? "no" : "a");
}

TEST(launchers_have_many_names_and_none_is_a_run)
{
    static const char *const launchers[] = {
        "mpirun",
        "mpiexec",
        "mpirun.openmpi",
        "mpiexec.openmpi",
        "mpirun.mpich",
        "mpiexec.mpich",
        "mpiexec.hydra",
        "mpirun.lam",
        "mpirun-4.1",
        "mpirun_rsh",
        "orterun.openmpi",
        "orterun",
        "prterun",
        "prterun.openmpi",
        "prte",
        "prte.openmpi",
        "prun",
        "prun-3",
        "orted",
        "prted",
        "prted.openmpi",
        "srun",
        "hydra_pmi_proxy",
        "salloc",
        "orted-4.1",
        "mpirun.x86_64",
        "mpiexec.gforker",
        "hydra_bstrap_proxy",
        "hydra_pmi_proxy.mpich",
        "mpirun-4.1.4",
        "mpirun-openmpi-5.0",
        "mpiexec.mpich.x86_64",
        "mpiexec_mpd",
    };
    static const char *const others[] = {"mpirunner",
                                         "my-mpirun",
                                         "prted2",
                                         "orte",
                                         "prun_model",
                                         "slurmstepdx",
                                         "mpirun_lammps",
                                         "prun-solver.x",
                                         "prte.bench",
                                         "mpirun.x",
                                         "mpirun-",
                                         "mpirun..",
                                         "mpirun..x",
                                         "mpiexec.openmpix",
                                         "mpirun.mpich.x",
                                         "orted-a",
                                         "mpirun_",
                                         "hydra_pmi_proxy.2x",
                                         "mpirun-4.1-solver",
                                         "prtex",
                                         "hydra",
                                         "hydra_pmi_proxyx"};
    static const char *const daemons[] = {"slurmstepd", "slurmstepd-wlm", "slurmd-wlm-emulator",
                                          "sackd",      "slurmctld-wlm",  "slurmdbd",
                                          "slurmrestd"};
    struct conf_error error = {0};
    struct conf conf;
    void *policy;
    size_t size;
    assert_int_equal(conf_load("/dev/null", &conf, &error), 0);
    assert_int_equal(compile_policy(&conf, &policy, &size, &error), 0);
    conf_free(&conf);
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
        check_name(policy, launchers[i], true, false);
    for (size_t i = 0; i < sizeof daemons / sizeof *daemons; i++)
        check_name(policy, daemons[i], false, false);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        check_name(policy, others[i], false, true);
    free(policy);
}
