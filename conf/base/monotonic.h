/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_MONOTONIC_H
#define JOBTRAIL_MONOTONIC_H

#include <stdint.h>

/* Milliseconds of the clock that nobody sets (CLOCK_MONOTONIC). */
uint64_t monotonic_ms(void);

#endif
