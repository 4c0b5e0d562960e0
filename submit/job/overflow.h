/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How many records a directory of root's had no room for: a decimal number in its file
 * OVERFLOW_NAME.
 */
#ifndef JOBTRAIL_OVERFLOW_H
#define JOBTRAIL_OVERFLOW_H

#include <stdint.h>

#define OVERFLOW_NAME "overflow"

/* Adds `more` to the number; several processes may do so at once. Returns 0 or -errno. */
int overflow_add(int directory, uint64_t more);

/* The number; 0 where there is none. */
uint64_t overflow_read(int directory);

#endif
