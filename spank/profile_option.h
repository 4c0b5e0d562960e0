/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which steps leave a profile: `--jobtrail-profile[=light|exact|no]` of srun, sbatch and salloc,
 * the variable JOBTRAIL_PROFILE of the same words, and the site's rule.
 */
#ifndef JOBTRAIL_PROFILE_OPTION_H
#define JOBTRAIL_PROFILE_OPTION_H

#include <slurm/spank.h>

#include "spank/settings.h"

/* Registers the option with Slurm where [profile] steps allows it. To be called in
 * slurm_spank_init. */
void profile_option_register(spank_t spank, const struct settings *settings);

/* What the tasks of the step get as their PROFILE_VARIABLE; NULL: they leave no profile. The option
 * comes before the variable, and that before the rule. In slurmstepd, and in tasks. */
const char *profile_option_mode(spank_t spank, const struct settings *settings);

#endif
