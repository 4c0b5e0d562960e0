/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/store/store_patience.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

/* How long a transaction is tried again, and how long it waits between two tries. */
#define PATIENCE_SECONDS 60
#define FIRST_WAIT_MS    20
#define LAST_WAIT_MS     2000

static double monotonic_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Not all that were in each other's way shall come back at the same time. */
static void wait_a_moment(unsigned ms)
{
    unsigned chance = 0;
    (void)!getrandom(&chance, sizeof chance, 0);
    unsigned chosen = ms / 2 + chance % ms;
    struct timespec time = {chosen / 1000, (long)(chosen % 1000) * 1000000};
    nanosleep(&time, NULL);
}

int store_patiently(int (*attempt)(void *context), void *context)
{
    double deadline = monotonic_seconds() + PATIENCE_SECONDS;
    unsigned wait_ms = FIRST_WAIT_MS;
    for (;;) {
        int error = attempt(context);
        if (error != -EAGAIN || monotonic_seconds() > deadline)
            return error;
        wait_a_moment(wait_ms);
        if (wait_ms < LAST_WAIT_MS)
            wait_ms *= 2;
    }
}
