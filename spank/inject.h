/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a task's environment gets: the library in LD_PRELOAD, where it writes, and the hooks.
 */
#pragma once

#include <slurm/spank.h>
#include <stdint.h>

#include "spank/settings.h"

/* Sets JOBTRAIL_SPOOL, the directory that tasks write to, for the tasks of the step. To be called
 * as root before they start. */
void inject_spool(spank_t spank, const struct settings *settings, uint32_t job, uint32_t restart);

/* Sets the other variables. To be called as the user in the task itself. Returns 0, or -errno:
 * without LD_PRELOAD the task is not recorded. */
int inject_task(spank_t spank, const struct settings *settings);
