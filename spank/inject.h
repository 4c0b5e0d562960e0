/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a task's environment gets: the library in LD_PRELOAD and where it writes.
 */
#ifndef JOBTRAIL_INJECT_H
#define JOBTRAIL_INJECT_H

#include <slurm/spank.h>
#include <stddef.h>

#include "settings.h"

/* Puts `library` in front of the LD_PRELOAD value `user` (may be ""), or keeps it as it is where
 * the library is in it already. Writes `size` bytes at `value`. Returns 0 or -ENAMETOOLONG. */
int inject_preload(const char *library, const char *user, char *value, size_t size);

/* Takes `library` out of the LD_PRELOAD value `preload`, in place. */
void inject_remove(const char *library, char *preload);

/* Sets the task's environment; to be called as the user, in the task itself. Returns 0, or -errno
 * when the task was left alone. */
int inject_task(spank_t spank, const struct settings *settings, uint32_t job, uint32_t restart);

#endif
