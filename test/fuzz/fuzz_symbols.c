/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Symbol tables of a file that a profile names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "conf/base/elf_segments.h"
#include "contrib/profile/symbol_names.h"
#include "test/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static int fd = -1;
    unsigned char id[BUILD_ID_MAX];
    char path[64];
    if (fd < 0)
        fd = memfd_create("object", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, 0) != 0 || pwrite(fd, data, size, 0) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct profiled_object object = {.path = path};
    object.build_id_size = elf_build_id_of(fd, id);
    if (object.build_id_size > sizeof object.build_id)
        return 0;
    memcpy(object.build_id, id, object.build_id_size);
    struct symbol_names names = {.debug = "/nowhere"};
    for (uint64_t address = 0; address < UINT64_C(1) << 63; address = 3 * address + 64)
        if (strlen(symbol_name(&names, &object, address)) == 0)
            abort();
    symbol_names_free(&names);
    return 0;
}
