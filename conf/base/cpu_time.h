/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_CPU_TIME_H
#define JOBTRAIL_CPU_TIME_H

#include <stdint.h>
#include <sys/types.h>

/* Processor time in nanoseconds that this process has used so far. */
uint64_t cpu_time_own(void);

/* The same of the process `pid`, which may be another user's; 0 where there is none. */
uint64_t cpu_time_of(pid_t pid);

/* The same of all children that this process has waited for, and of their children. */
uint64_t cpu_time_children(void);

#endif
