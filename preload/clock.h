/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The time, without a system call where the vDSO can tell it (vdso(7)).
 */
#ifndef JOBTRAIL_CLOCK_H
#define JOBTRAIL_CLOCK_H

#include <stdint.h>
#include <time.h>

#include "preload/image.h"

typedef int clock_function(clockid_t, struct timespec *);

/* The vDSO's clock_gettime, or NULL where there is none. */
clock_function *clock_find(const struct image *image);

/* Nanoseconds since the Epoch. `function` may be NULL: then by system call. */
uint64_t clock_now(clock_function *function);

/* Hundredths of a second since boot, as proc(5) counts them. */
uint64_t clock_boot_ticks(clock_function *function);

/* clock_now() to one tick of the kernel's clock (1 to 10 ms), read from memory alone: the precise
 * time needs the processor's counter, and a program may have lost the right to read it (prctl(2),
 * PR_SET_TSC; seccomp's strict mode). */
uint64_t clock_now_coarse(clock_function *function);

#endif
