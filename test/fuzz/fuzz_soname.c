/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * elf_soname(): anybody who installs a library writes the file, and root reads it.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "conf/base/elf_segments.h"
#include "test/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static int fd = -1;
    char name[16];
    memset(name, 'x', sizeof name);
    if (fd < 0)
        fd = memfd_create("object", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, 0) != 0 || pwrite(fd, data, size, 0) != (ssize_t)size)
        abort();
    elf_soname(fd, name, sizeof name);
    if (strnlen(name, sizeof name) == sizeof name)
        abort();
    return 0;
}
