/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A datagram of ends of threads: each message is read within it.
 */
#include <stdlib.h>

#include "contrib/witness/task_end.h"
#include "test/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    const unsigned char *left = data, *end_of_data = data + size;
    while (size > 0) {
        struct task_end end;
        size_t before = size;
        int found = task_end_read(&left, &size, &end);
        if (size >= before || left > end_of_data || (size > 0 && left + size != end_of_data))
            abort();
        if (found == 1 && end.is_last != 0 && end.is_last != 1)
            abort();
    }
    return 0;
}
