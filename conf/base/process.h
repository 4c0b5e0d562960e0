/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_PROCESS_H
#define JOBTRAIL_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

/* When the process `pid` started, in clock ticks after boot. Returns 1, or 0 where there is none; a
 * zombie is none. */
int process_start(int32_t pid, uint64_t *ticks);

/* The parent of the process `pid`, or 0 where there is none: init's is none, nor one that this
 * process's pid namespace does not show. */
int32_t process_parent(int32_t pid);

/* Whether the process `pid` that started `ticks` clock ticks after boot still runs: a zombie does
 * not, nor does another process that has got its pid. */
int process_alive(int32_t pid, uint64_t ticks);

/* The same of a process of the user `uid` that has this pid in a pid namespace below this
 * process's, as in a container. Looks at every process. */
int process_alive_inside(int32_t pid, uint64_t ticks, uid_t uid);

/* Waits for a child that is about to end. Returns 1 and its status as waitpid(2) gives it, or 0
 * when it has not ended in that time. */
int process_reap(pid_t pid, int patience_ms, int *status);

#endif
