/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A sampling file.
 */
#include <stdlib.h>

#include "contrib/profile/sample_file.h"
#include "test/fuzz/fuzz.h"
#include "test/fuzz/fuzz_file.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static int fd = -1;
    char path[FUZZ_PATH_SIZE];
    struct sample_file file;
    fuzz_file(&fd, data, size, path);
    if (sample_file_read(fd, &file) != 0)
        return 0;
    for (uint64_t i = 0; i < file.header.samples; i++)
        if (file.sample[i].stack >= file.set.stacks.count ||
            (i > 0 && file.sample[i].ns < file.sample[i - 1].ns))
            abort();
    sample_file_free(&file);
    return 0;
}
