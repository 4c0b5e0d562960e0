/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What /proc/PID/stat says of a process (proc(5)).
 */
#ifndef JOBTRAIL_PROCESS_STAT_H
#define JOBTRAIL_PROCESS_STAT_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
