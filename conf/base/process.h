/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_PROCESS_H
#define JOBTRAIL_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* When the process `pid` started, in clock ticks after boot. Returns whether it runs: a zombie does
 * not. */
bool process_start(int32_t pid, uint64_t *ticks);

/* The parent of the process `pid`. 0: `pid` does not run, or its parent is not visible in this
 * process's pid namespace, as that of init. */
int32_t process_parent(int32_t pid);

/* Whether the process `pid` that started `ticks` clock ticks after boot still runs: a zombie does
 * not, nor does another process that has got its pid. */
bool process_alive(int32_t pid, uint64_t ticks);

/* The same of a process of the user `uid` that has this pid in a pid namespace below this
 * process's, as in a container. Looks at every process. */
bool process_alive_inside(int32_t pid, uint64_t ticks, uid_t uid);

/* The pid that the process `pid` has in the innermost of its pid namespaces, as in a container; 0:
 * unknown. */
int32_t process_innermost(int32_t pid);

/* Waits `patience_ms` milliseconds for a child that is about to end. Returns whether it has ended,
 * and its status as of waitpid(2). */
bool process_reap(pid_t pid, int patience_ms, int *status);

#endif
