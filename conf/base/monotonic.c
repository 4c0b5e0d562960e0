/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/monotonic.h"

#include <time.h>

uint64_t monotonic_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}
