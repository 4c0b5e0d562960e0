/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Blocks signals for some instructions: a handler that leaves by siglongjmp(3) would leave behind
 * what is half made, or an open descriptor.
 */
#pragma once

#include <stdint.h>

/* Holds this thread's signals back, but for those that its own instructions cause. Returns what
 * profile_hold_end() is to be given. */
uint64_t profile_hold(void);
void profile_hold_end(uint64_t before);
