/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Slurm's releases, and in which of them the plugin works.
 *
 * Slurm loads a SPANK plugin by dlopen(), and then reads its `plugin_version` by dlsym(). It
 * refuses one whose major and minor number are not its own (src/common/plugin.c, _verify_syms();
 * the same in 22.05 to 26.05). srun, sbatch and salloc print a line for their users then. So
 * plugin_version is a variable here. A constructor sets it to the release of the host, from
 * slurm_api_version(). Every release from 22.05 on loads the plugin.
 *
 * The plugin works in the releases of SLURM_RELEASES: those that the tests have run, and the one of
 * the headers that it was built with. In any other its callbacks return success at once. All that
 * it does there is to accept the option --jobtrail, for scripts that have it, and to write one line
 * into slurmd's log.
 *
 * Of Slurm it uses what <slurm/spank.h> declares: functions, contexts and items, which have the
 * same types and numbers from 22.05 to 26.11, and these, which do not belong to SPANK's interface:
 *
 * - slurm_api_version() (src/api/config_info.c): API_CURRENT of Slurm's file META << 16. It is
 *   one more in each release: 38 in 22.05, 39 in 23.02, 40 in 23.11, and from then on there are two
 *   releases in a year, .05 and .11. It is 46 in the branch that is to be 26.11.
 * - slurm_conf.select_type_param (slurm/slurm.h): its place differs by release, and was the same in
 *   each release's minor versions. Until 25.05 its bits were called CR_CORE and CR_SOCKET, from
 *   25.11 on SELECT_CORE and SELECT_SOCKET. The numbers are the same.
 *
 * What else differs between releases, and why the code needs no check of the release for it. It was
 * measured where the tests run, and read in Slurm's sources and release notes for the others.
 *
 * - 23.02: the epilog's environment has the job's times, and from 26.05 on its QOS
 *   (src/plugins/prep/script/prep_script_slurmd.c). We read variables by name; one that is missing
 *   adds nothing to the journal.
 * - 23.11: the failure of most callbacks fails the step. From 25.05 on any value except for
 *   ESPANK_SUCCESS is a failure (src/common/spank.c, _do_call_stack() and
 *   slurm_spank_init_failure_mode: whether it drains the node). Our callbacks always return
 *   ESPANK_SUCCESS.
 * - 23.11: srun --external-launcher, which mpirun uses, makes a step with the resources of the
 *   whole job for the daemons of an MPI launcher (RELEASE_NOTES). It is a step as others are.
 * - 23.11: slurmctld sends the files that plugstack.conf includes to configless nodes; before, only
 *   plugstack.conf itself (NEWS). Doctor looks where slurmd keeps them.
 * - 23.11: slurmd loads the plugins again on `scontrol reconfigure`; before, when it starts
 *   (src/slurmd/slurmd/slurmd.c). upkeep.h starts one process watch in both cases.
 * - 24.05: with PrologFlags=RunInJob, prolog and epilog run in the daemon of the job's extern step,
 *   and Slurm does not call those of SPANK (src/slurmd/slurmstepd/mgr.c, _spawn_job_container()).
 *   Then the end of the last step on a node, which may be the extern step, starts the flush. That
 *   is before the site's Epilog script. Its Prolog script runs after the extern step's
 *   init_post_opt and before all other steps. It has the credential in its environment, the
 *   restart count included, and tells it (`jobtrail-submit prolog`). Where jobs have a mount
 *   namespace, Slurm makes it before the extern step's daemon calls the plugin, and so before the
 *   job's directory is made (measured, 24.11): nothing is mounted there for the user's files.
 * - 24.05: with contain_spank, user_init, task_post_fork and task_exit run in a cloned child
 *   (src/slurmd/slurmstepd/mgr.c). State between callbacks is on disk, except for what tells how
 *   long before its line a task ended (journal.h: died, thread, busy): that is missing there, and
 *   tasks that did not end by themselves have ends with wider bounds.
 * - 24.05: with enable_stepmgr a slurmstepd of the job, and not slurmctld, makes its steps
 *   (RELEASE_NOTES). The plugin's callbacks and items are the same.
 * - 24.05: the options of plugins reach the batch script also with sbatch --export=NONE, NIL or
 *   VARIABLE=VALUE (src/common/env.c, commit f88ca22d10). Before, options.h tells the prolog.
 * - 24.05: the remote callbacks that srun runs are called once, and no more twice (NEWS). There the
 *   plugin only accepts its option, so that two calls did no harm.
 * - 24.11: with EntireStepInNS in job_container.conf the whole slurmstepd of each step but the
 *   extern one, with all SPANK callbacks, runs in the mount namespace of the job
 *   (src/plugins/job_container/tmpfs/job_container_tmpfs.c). The spool must be visible there.
 * - 24.11: while the callbacks run at the end of an extern step, a thread of its daemon acts as the
 *   job's user for a moment (as_root.h).
 * - 24.11.0 to 24.11.6, 25.05.0 to 25.05.1: slurmstepd runs itself for TaskProlog, as the user and
 *   with the task's environment (src/slurmd/slurmstepd/task.c). preload/decide.c does not track it.
 * - 25.05: the extern step has no process of its own any more (src/slurmd/slurmstepd/mgr.c). That a
 *   job is suspended shows in what freezes it (submit/flush/suspend_look.c).
 * - 25.11: prolog and epilog have the variable SLURM_JOB_SLUID
 *   (src/plugins/prep/script/prep_script_slurmd.c), which job_sluid.h keeps.
 * - 25.11: job_container/tmpfs is called namespace/tmpfs, and namespace/linux is new, which makes
 *   pid namespaces too (src/plugins/namespace/). Journals have the pids that slurmstepd sees.
 *   With namespace/linux the whole slurmstepd of each step but the extern one is in the job's
 *   namespaces, as with EntireStepInNS, which that plugin's source calls the normal way.
 * - 26.05: the directory of a job in cgroup v2 has its SLUID in the name, unless cgroup.conf has
 *   CgroupJobIdPaths=yes (26.05.2 and later) (src/plugins/cgroup/v2/cgroup_v2.c).
 * - 26.05: `sacctmgr show configuration` prints sacctmgr's own values as those of slurmdbd
 *   (measured, 26.05.5), so that PrivateData is not known (contrib/answers/service/rights.py).
 * - S_SLURM_RESTART_COUNT is 0 in all of them, and spank_jobtrail.c says what is used instead.
 */
#pragma once

#include <slurm/slurm_version.h>
#include <stdbool.h>
#include <stdint.h>

#define SLURM_RELEASE_OLDEST SLURM_VERSION_NUM(22, 5, 0)
#define SLURM_RELEASE_NEWEST SLURM_VERSION_NUM(26, 11, 255)

#if SLURM_VERSION_NUMBER < SLURM_RELEASE_OLDEST
#error "jobtrail needs Slurm 22.05 or later"
#elif SLURM_VERSION_NUMBER > SLURM_RELEASE_NEWEST
#warning "jobtrail does not know this release of Slurm: see spank/slurm_release.h"
#endif

/* X(major, minor, the offset of select_type_param in slurm_conf_t) of each release that the tests
 * have run. The offsets are those of 64 bits. A build with the headers of one compares its own. */
#if UINTPTR_MAX == UINT64_MAX
#define SLURM_RELEASES_TESTED(X) X(22, 5, 1136) X(24, 11, 1128) X(26, 5, 1200)
#else
#define SLURM_RELEASES_TESTED(X)
#endif

/* The same of all releases in which the plugin works. A test builds it with another list. If the
 * release of the headers is none that the tests have run, it is SLURM_RELEASE_UNTESTED. */
#define SLURM_RELEASE_OR_HEADERS(major, minor, offset)                                             \
    || SLURM_VERSION_NUMBER >> 8 == ((major) << 8 | (minor))
#ifdef SLURM_RELEASES
#define SLURM_RELEASE_UNTESTED 0
#elif 0 SLURM_RELEASES_TESTED(SLURM_RELEASE_OR_HEADERS)
#define SLURM_RELEASES(X)      SLURM_RELEASES_TESTED(X)
#define SLURM_RELEASE_UNTESTED 0
#else
#define SLURM_RELEASE_UNTESTED (SLURM_VERSION_NUMBER & ~255U)
#define SLURM_RELEASES(X)                                                                          \
    SLURM_RELEASES_TESTED(X)                                                                       \
    X(SLURM_VERSION_NUMBER >> 16, SLURM_VERSION_NUMBER >> 8 & 255,                                 \
      offsetof(slurm_conf_t, select_type_param))
#endif

/* Whether the Slurm that has loaded the plugin is one of SLURM_RELEASES. */
bool slurm_release_is_known(void);

/* Writes to the host's log that the plugin is inactive in this release, and what to do. */
void slurm_release_report(void);

/* Whether Slurm gives jobs whole cores and accounts for all of their threads. The configuration is
 * that of the daemon that has loaded the plugin. */
bool slurm_release_has_whole_cores(void);
