/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Clocks and deadlines. A deadline is a time in nanoseconds of CLOCK_MONOTONIC, which nobody sets.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* Nanoseconds; 0 where the clock cannot be read, or is before 1970. */
static inline uint64_t clock_ns(clockid_t clock)
{
    struct timespec now = {0, 0};
    clock_gettime(clock, &now);
    return now.tv_sec < 0 ? 0 : (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline double clock_seconds(clockid_t clock)
{
    return (double)clock_ns(clock) / 1e9;
}

/* Milliseconds of CLOCK_MONOTONIC. */
static inline uint64_t clock_ms(void)
{
    return clock_ns(CLOCK_MONOTONIC) / 1000000;
}

/* The deadline that is `ms` from now. */
static inline uint64_t clock_deadline(uint64_t ms)
{
    return clock_ns(CLOCK_MONOTONIC) + ms * 1000000;
}

/* Milliseconds until a deadline; 0 when it is over. At the most an hour. */
static inline unsigned clock_left_ms(uint64_t deadline_ns)
{
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    uint64_t left = deadline_ns > now ? (deadline_ns - now + 999999) / 1000000 : 0;
    return left > 3600000 ? 3600000 : (unsigned)left;
}

/* Two clocks at one moment. The time of day less that since boot is the same until somebody sets
 * the clock: what slows down or hastens one does so to the other. */
struct clock_pair {
    uint64_t boot_ns;  /* CLOCK_BOOTTIME */
    uint64_t real_ns;  /* CLOCK_REALTIME, between boot_ns and apart_ns later */
    uint64_t apart_ns; /* of several readings the least */
};

struct clock_pair clock_pair_read(void);

/* Processor time in nanoseconds that this process has used so far. */
uint64_t cpu_time_own(void);

/* The same of the process `pid`, which may be another user's; 0 where there is none. */
uint64_t cpu_time_of(pid_t pid);

/* The same of all children that this process has waited for, and of their children. */
uint64_t cpu_time_children(void);

/* ---- The processor's counter of time --------------------------------------------------------- */

/* The processor's counter of time. */

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
