/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What libFuzzer calls, and a check of what must hold.
 */
#ifndef JOBTRAIL_FUZZ_H
#define JOBTRAIL_FUZZ_H

#include <stddef.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static inline void require(int holds)
{
    if (!holds)
        abort();
}

#endif
