/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * leader_find(): the text of `srun --multi-prog` is the user's, and is read in Slurm's task as it
 * is set up.
 */
#include <stdlib.h>
#include <string.h>

#include "spank/leader.h"
#include "test/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static const uint32_t ranks[] = {0, 1, 7, 100, 65535, UINT32_MAX};
    char *text = strndup((const char *)data, size);
    for (size_t i = 0; text != NULL && i < sizeof ranks / sizeof ranks[0]; i++) {
        uint32_t leader = leader_find(text, ranks[i]);
        if (leader > ranks[i] || leader_find(text, leader) != leader)
            abort();
    }
    free(text);
    return 0;
}
