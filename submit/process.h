/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_PROCESS_H
#define JOBTRAIL_PROCESS_H

#include <stdint.h>

/* Whether the process `pid` that started `ticks` clock ticks after boot still runs: a zombie does
 * not, nor does another process that has got its pid. */
int process_alive(int32_t pid, uint64_t ticks);

/* When the process started, in clock ticks after boot. Returns whether there is one. */
int process_start(int32_t pid, uint64_t *ticks);

#endif
