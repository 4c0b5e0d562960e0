/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * elf_build_id(): the user names the file, and says that it is an object.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "conf/base/elf_segments.h"
#include "test/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static char path[32];
    static int fd = -1;
    unsigned char id[BUILD_ID_MAX];
    if (fd < 0) {
        fd = memfd_create("object", MFD_CLOEXEC);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    if (fd < 0 || ftruncate(fd, 0) != 0 || pwrite(fd, data, size, 0) != (ssize_t)size)
        abort();
    if (elf_build_id(path, id) > BUILD_ID_MAX)
        abort();
    return 0;
}
