/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "spank/as_root.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

enum { TRIES = 3, WAIT_S = 3 };

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

bool as_root_again(int error, struct as_root *state)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    if ((error != -EACCES && error != -EPERM) || getuid() != 0 || ++state->tries > TRIES)
        return false;
    if (state->deadline_ns == 0)
        state->deadline_ns = now_ns() + WAIT_S * UINT64_C(1000000000);
    while (geteuid() != 0 && now_ns() < state->deadline_ns)
        nanosleep(&pause, NULL);
    return geteuid() == 0;
}
