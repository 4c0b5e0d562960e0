/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The variables by which Python, R, Octave, MATLAB and Perl find what reports the packages that
 * they load (contrib/hooks/). What the user has in them stays in force: lists get one more entry,
 * and where a variable names one file, the user's is kept in a variable of ours, for the hook to go
 * on with.
 */
#ifndef JOBTRAIL_HOOKS_H
#define JOBTRAIL_HOOKS_H

#include <slurm/spank.h>

#include "settings.h"

/* Sets the variables in the task's environment. A hook that is not installed, or finds no room, is
 * left out. */
void hooks_set(spank_t spank, const struct settings *settings);

/* Takes the variables back in this process's own environment. */
void hooks_restore(const struct settings *settings);

#endif
