/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The variables by which languages find their hooks (contrib/hooks/hook_variables.h), in the
 * environment of tasks.
 */
#pragma once

#include <slurm/spank.h>

#include "spank/settings.h"

/* Sets the variables in the task's environment. A hook that is not installed, or whose entry does
 * not fit, is left out. */
void hooks_set(spank_t spank, const struct settings *settings);

/* Undoes hooks_set() in this process's own environment. */
void hooks_restore(const struct settings *settings);
