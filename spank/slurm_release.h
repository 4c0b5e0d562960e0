/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The Slurm releases that the plugin can be built for: 22.05 to 26.11. Slurm loads a plugin into
 * the release (major.minor) alone that it was built for, so all that differs is decided here, when
 * it is built. Measured on 22.05; the rest is read in Slurm's sources and release notes.
 *
 * In all of them the callbacks, the contexts and the items that we use are the same. What changed,
 * and why the code beside this needs no other guard:
 *
 * - 23.02: the epilog's environment has the job's times and nodes, from 26.05 on its QOS too. We
 *   read variables by name, and one that is missing adds nothing to the journal.
 * - 23.11: the failure of most callbacks fails the step, and from 25.05 on any value but
 *   ESPANK_SUCCESS is one (slurm_spank_init_failure_mode: whether it drains the node). Ours
 *   return ESPANK_SUCCESS whatever happens.
 * - 24.05: with PrologFlags=RunInJob, prolog and epilog run in the daemon of the job's extern step,
 *   and SPANK's are not called at all. The end of the last step on a node, of which that one is
 *   one, starts the flush then.
 * - 24.05: with contain_spank, user_init, task_post_fork and task_exit run in a cloned child. We
 *   keep nothing in memory between callbacks: all is on disk.
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
