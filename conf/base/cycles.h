/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The processor's counter of time.
 */
#ifndef JOBTRAIL_CYCLES_H
#define JOBTRAIL_CYCLES_H

#include <stdbool.h>
#include <stdint.h>

/* The counter's reading. No system call; SIGSEGV where the process may not read it (prctl(2),
 * PR_SET_TSC; seccomp's strict mode). */
static inline uint64_t cycles_read(void)
{
#if defined(__x86_64__) || defined(__i386__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t cycles;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(cycles));
    return cycles;
#else
    return 0;
#endif
}

/* Whether the kernel keeps its own clock by this counter: then it advances evenly, and is the same
 * on all processors. */
bool cycles_are_clock(void);

#endif
