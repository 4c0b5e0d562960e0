/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * `--jobtrail=yes|no` of srun, sbatch and salloc, where the site allows it.
 */
#ifndef JOBTRAIL_OPTIONS_H
#define JOBTRAIL_OPTIONS_H

#include <slurm/spank.h>
#include <stdbool.h>

/* Registers the option with Slurm where [tracking] opt_out of the configuration `conf` allows it.
 * To be called in slurm_spank_init. Where it is not registered, srun refuses it, and slurmstepd
 * ignores it should a user send it by other means. */
void options_register(spank_t spank, const char *conf);

/* Whether the step was started with --jobtrail=no. Known in slurmstepd from init_post_opt on, and
 * in tasks. */
bool options_is_opted_out(void);

#endif
