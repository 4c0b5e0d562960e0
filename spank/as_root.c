/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "spank/as_root.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/clocks.h"

enum { TRIES = 3, WAIT_S = 3 };

bool as_root_again(int error, struct as_root *state)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    if ((error != -EACCES && error != -EPERM) || getuid() != 0 || ++state->tries > TRIES)
        return false;
    if (state->deadline_ns == 0)
        state->deadline_ns = clock_ns(CLOCK_MONOTONIC) + WAIT_S * UINT64_C(1000000000);
    while (geteuid() != 0 && clock_ns(CLOCK_MONOTONIC) < state->deadline_ns)
        nanosleep(&pause, NULL);
    return geteuid() == 0;
}
