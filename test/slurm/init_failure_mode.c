/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Lets Slurm drain the node when slurm_spank_init() of the plugin fails in slurmstepd. It is the
 * strictest of what the variable can say, from Slurm 25.05 on. Older releases do not look at it.
 */
#include <slurm/slurm_errno.h>
#include <slurm/slurm_version.h>

extern int slurm_spank_init_failure_mode;

#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(25, 5, 0)
int slurm_spank_init_failure_mode = ESPANK_NODE_FAILURE;
#else
int slurm_spank_init_failure_mode = 0;
#endif
