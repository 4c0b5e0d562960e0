/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What /proc/PID/stat says of a process (proc(5)).
 */
#ifndef JOBTRAIL_PROCESS_STAT_H
#define JOBTRAIL_PROCESS_STAT_H

#include <stdbool.h>
#include <stdint.h>

struct process_stat {
    char state;           /* 'Z': a zombie */
    int32_t parent;       /* 0: none that this pid namespace shows */
    uint64_t start_ticks; /* clock ticks from boot to its start */
};

/* Fills in `*stat` for the process `pid`, a zombie too. Returns whether there is such a process. */
bool process_stat_read(int32_t pid, struct process_stat *stat);

#endif
