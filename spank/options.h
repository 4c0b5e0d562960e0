/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * `--jobtrail=yes|no` of srun, sbatch and salloc, where the site allows it.
 */
#ifndef JOBTRAIL_OPTIONS_H
#define JOBTRAIL_OPTIONS_H

#include <slurm/spank.h>

/* Makes the option known to Slurm, where [tracking] opt_out of the configuration `conf` says so; to
 * be called in slurm_spank_init. Where it is not known, srun refuses it, and slurmstepd does not
 * listen to a user who forges it. */
void options_register(spank_t spank, const char *conf);

/* Whether the step's user has said no. Known in slurmstepd from init_post_opt on, in tasks too. */
int options_opted_out(void);

#endif
