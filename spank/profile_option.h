/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which steps leave a profile: `--jobtrail-profile[=light|exact|no][,ranks=LIST]` of srun, sbatch
 * and salloc, the variable JOBTRAIL_PROFILE of the same words, and the site's rule.
 */
#ifndef JOBTRAIL_PROFILE_OPTION_H
#define JOBTRAIL_PROFILE_OPTION_H

#include <slurm/spank.h>

#include "spank/settings.h"

enum { PROFILE_RANKS_TEXT = 64 };

struct profile_ask {
    const char *mode;               /* PROFILE_LIGHT, PROFILE_EXACT; NULL: no profile */
    char ranks[PROFILE_RANKS_TEXT]; /* which ranks are to have files of their own (number_list.h);
                                       "": the user did not say so */
};

/* Registers the option with Slurm where [profile] steps allows it. To be called in
 * slurm_spank_init. */
void profile_option_register(spank_t spank, const struct settings *settings);

/* What the step is to leave. The option comes before the variable, and that before the rule. In
 * slurmstepd, and in tasks. */
struct profile_ask profile_option_find(spank_t spank, const struct settings *settings);

#endif
