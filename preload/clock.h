/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The time, by the vDSO (vdso(7)) where there is one, which needs no system call.
 */
#pragma once

#include <stdint.h>
#include <time.h>

#include "preload/image.h"

typedef int clock_function(clockid_t, struct timespec *);

/* The vDSO's clock_gettime, or NULL where there is none. */
clock_function *clock_find(const struct image *image);

/* Nanoseconds since the Epoch. `function` may be NULL: then by system call. */
uint64_t clock_now(clock_function *function);

/* Nanoseconds since boot, those included in which the machine slept: the clock by which proc(5)
 * counts. Nobody can set it. */
uint64_t clock_boot(clock_function *function);

/* Nanoseconds since some time before the start of the run, by a clock that nobody can set. Memory
 * reads only, as clock_now_coarse(). */
uint64_t clock_monotonic_coarse(clock_function *function);

/* As clock_now(), with the precision of one tick of the kernel's clock (1 to 10 ms). It reads
 * memory alone. The precise time needs the processor's counter, which a program may have been
 * forbidden to read (prctl(2), PR_SET_TSC; seccomp's strict mode). */
uint64_t clock_now_coarse(clock_function *function);
