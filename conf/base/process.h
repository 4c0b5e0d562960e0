/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

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

/* ---- What /proc tells ------------------------------------------------------------------------ */

/* What /proc/PID/stat says of a process (proc(5)). */

struct process_stat {
    char state;           /* of its first thread; 'Z': that one is over */
    int32_t parent;       /* 0: none that this pid namespace shows */
    int32_t threads;      /* those that are not over, and the first one */
    uint64_t start_ticks; /* clock ticks from boot to its start */
};

/* Fills in `*stat` for the process `pid`, a zombie too. Returns 0; -ESRCH where there is no such
 * process; or another -errno where that cannot be found out. */
int process_stat_read(int32_t pid, struct process_stat *stat);

/* Whether all threads are over: the process waits for its parent to ask for its status. The first
 * thread may end before the others, by pthread_exit(3). */
bool process_stat_is_over(const struct process_stat *stat);

/* ---- Stopped processes ----------------------------------------------------------------------- */

/* Whether a process that runs does nothing: a signal has stopped it (SIGSTOP, SIGTSTP), or its
 * cgroup is frozen (freezer.state of version 1, cgroup.freeze of version 2; below /sys/fs/cgroup).
 * One that a debugger has stopped is not. */
bool process_is_stopped(int32_t pid);

/* Whether its cgroup is frozen. */
bool process_is_frozen(int32_t pid);
