/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_PROCESS_STOPPED_H
#define JOBTRAIL_PROCESS_STOPPED_H

#include <stdbool.h>
#include <stdint.h>

/* Whether a process that runs does nothing: a signal has stopped it (SIGSTOP, SIGTSTP), or its
 * cgroup is frozen (freezer.state of version 1, cgroup.freeze of version 2; below /sys/fs/cgroup).
 * One that a debugger has stopped is not. */
bool process_is_stopped(int32_t pid);

/* Whether its cgroup is frozen. */
bool process_is_frozen(int32_t pid);

#endif
