/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "test/e2e/profile/programs/truth.h"

#include <stdio.h>
#include <time.h>

long truth_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000L + time.tv_nsec;
}

long truth_burn(long ns)
{
    long start = truth_now(), passed;
    do
        passed = truth_now() - start;
    while (passed < ns);
    return passed;
}

void truth_add(struct truth *truth, long within, long around)
{
    truth->calls++;
    truth->around += around;
    if (around - within > 1000)
        truth->late += around - within;
}

void truth_print(int rank, const char *stack, const struct truth *truth)
{
    printf("%d %ld %ld %ld %ld %s\n", rank, truth->calls, truth->within, truth->around, truth->late,
           stack);
}
