/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_LDWRAP_ELF_FILE_H
#define JOBTRAIL_LDWRAP_ELF_FILE_H

#include <fcntl.h>
#include <gelf.h>
#include <sys/stat.h>

static inline void cleanup_elf(Elf **elf)
{
    elf_end(*elf);
}

#define CLEANUP_ELF __attribute__((cleanup(cleanup_elf)))

/* Opens the regular file for reading by `command`, ELF_C_READ or ELF_C_READ_MMAP. Returns NULL
 * where it cannot be opened; `*fd`, which the caller closes after it, is -1 then or a descriptor.
 */
static inline Elf *elf_file_open(const char *path, Elf_Cmd command, int *fd)
{
    struct stat status;
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (*fd < 0 || fstat(*fd, &status) != 0 || !S_ISREG(status.st_mode) ||
        elf_version(EV_CURRENT) == EV_NONE)
        return NULL;
    return elf_begin(*fd, command, NULL);
}

#endif
