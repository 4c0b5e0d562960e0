/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/elf_build_id.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "conf/base/cleanup.h"
#include "conf/base/elf_note.h"

size_t elf_build_id(const char *path, unsigned char id[BUILD_ID_MAX])
{
    CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    return elf_build_id_of(fd, id);
}

size_t elf_build_id_of(int fd, unsigned char id[BUILD_ID_MAX])
{
    struct stat status;
    size_t size = 0;
    if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
        return 0;
    CLEANUP_FREE void *content = elf_note_find(fd, ELF_NOTE_GNU, NT_GNU_BUILD_ID, &size);
    if (content == NULL || size > BUILD_ID_MAX)
        return 0;
    memcpy(id, content, size);
    return size;
}
