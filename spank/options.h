/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * `--jobtrail=yes|no` of srun, sbatch and salloc, where the site allows it. profile_part.h has
 * the other option.
 */
#pragma once

#include <slurm/spank.h>
#include <stdbool.h>

/* Registers the options with Slurm: this one where [tracking] opt_out of the configuration `conf`
 * allows it. To be called in slurm_spank_init. Where it is not registered, srun refuses it, and
 * slurmstepd ignores it should a user send it by other means. */
void options_register(spank_t spank, const char *conf);

/* Before 24.05 Slurm does not pass options on to the batch script of `sbatch --export=NONE` (or
 * NIL, or VARIABLE=VALUE). So the node's prolog is told in a variable of SPANK's, which Slurm calls
 * SPANK_JOBTRAIL_OPTED_OUT there. To be called in sbatch, salloc, srun. */
void options_tell_prolog(spank_t spank);

/* Takes the step to be opted out. */
void options_opt_out(void);

/* Whether the step was started with --jobtrail=no. Known in slurmstepd from init_post_opt on, and
 * in tasks. */
bool options_is_opted_out(void);
