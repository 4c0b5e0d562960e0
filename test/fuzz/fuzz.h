/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What libFuzzer calls, and a check of what must hold.
 */
#pragma once

#include <stddef.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static inline void require(int holds)
{
    if (!holds)
        abort();
}
