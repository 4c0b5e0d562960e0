/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The Slurm releases that the plugin can be built for: 22.05 to 26.11. Slurm refuses a plugin that
 * was built for another release (major.minor), so the release is known when the plugin is built.
 * What follows was measured on 22.05, and read in Slurm's sources and release notes for the others.
 *
 * In all of them the callbacks, the contexts and the items that we use are the same. What changed,
 * and why the code needs no other check of the release:
 *
 * - 23.02: the epilog's environment has the job's times and nodes, and from 26.05 on its QOS. We
 *   read variables by name; one that is missing adds nothing to the journal.
 * - 23.11: the failure of most callbacks fails the step. From 25.05 on any value except for
 *   ESPANK_SUCCESS is a failure (slurm_spank_init_failure_mode: whether it drains the node). Our
 *   callbacks always return ESPANK_SUCCESS.
 * - 24.05: with PrologFlags=RunInJob, prolog and epilog run in the daemon of the job's extern step,
 *   and Slurm does not call those of SPANK. Then the end of the last step on a node, which may be
 *   the extern step, starts the flush.
 * - 24.05: with contain_spank, user_init, task_post_fork and task_exit run in a cloned child. We
 *   keep all state between callbacks on disk, none in memory.
 */
#ifndef JOBTRAIL_SLURM_RELEASE_H
#define JOBTRAIL_SLURM_RELEASE_H

#include <slurm/slurm_version.h>

#define SLURM_RELEASE_OLDEST SLURM_VERSION_NUM(22, 5, 0)
#define SLURM_RELEASE_NEWEST SLURM_VERSION_NUM(26, 11, 255)

#if SLURM_VERSION_NUMBER < SLURM_RELEASE_OLDEST
#error "jobtrail needs Slurm 22.05 or later"
#elif SLURM_VERSION_NUMBER > SLURM_RELEASE_NEWEST
#warning "jobtrail does not know this release of Slurm: see spank/slurm_release.h"
#endif

#endif
