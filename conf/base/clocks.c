/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/clocks.h"

#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>

#include "conf/base/io.h"

/* A process may lose its processor between two clocks, and seldom does so at each reading. */
enum { READINGS = 8 };

struct clock_pair clock_pair_read(void)
{
    struct clock_pair best = {.apart_ns = UINT64_MAX};
    for (int i = 0; i < READINGS; i++) {
        const uint64_t boot_ns = clock_ns(CLOCK_BOOTTIME), real_ns = clock_ns(CLOCK_REALTIME);
        const uint64_t apart_ns = clock_ns(CLOCK_BOOTTIME) - boot_ns;
        if (apart_ns < best.apart_ns)
            best = (struct clock_pair){boot_ns, real_ns, apart_ns};
    }
    return best;
}

uint64_t cpu_time_own(void)
{
    return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t cpu_time_of(pid_t pid)
{
    clockid_t clock;
    return pid <= 0 || clock_getcpuclockid(pid, &clock) != 0 ? 0 : clock_ns(clock);
}

static uint64_t nanoseconds(struct timeval time)
{
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

uint64_t cpu_time_children(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_CHILDREN, &usage) != 0
               ? 0
               : nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime);
}

/* ---- The processor's counter of time --------------------------------------------------------- */

bool cycles_are_clock(void)
{
    char text[32] = "";
    io_read_text(AT_FDCWD, "/sys/devices/system/clocksource/clocksource0/current_clocksource", text,
                 sizeof text);
    text[strcspn(text, "\n")] = '\0';
    return strcmp(text, "tsc") == 0 || strcmp(text, "arch_sys_counter") == 0;
}
