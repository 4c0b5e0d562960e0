/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Blocks signals for some instructions: a handler that leaves by siglongjmp(3) would leave behind
 * what is half made, or an open descriptor.
 */
#pragma once

#include <stdint.h>

/* Holds this thread's signals back, but for those that its own instructions cause. Returns what
 * signals_release() is to be given. */
uint64_t signals_hold(void);
void signals_release(uint64_t before);
