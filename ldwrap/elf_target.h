/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <fcntl.h>
#include <gelf.h>
#include <stdint.h>
#include <sys/stat.h>

#include "ldwrap/string_list.h"

/* The properties that must be the same in all objects of a link. */
struct elf_target {
    unsigned char elf_class; /* ELFCLASS32 or ELFCLASS64 */
    unsigned char data;      /* ELFDATA2LSB or ELFDATA2MSB */
    uint16_t machine;        /* EM_... */
    uint32_t flags;          /* e_flags: of some machines, the ABI */
};

/* Reads them from the first ELF object among the files of a link; archives are searched too.
 * Returns 0, or -ENOENT where there is none. */
int elf_target_find(const struct strings *inputs, struct elf_target *target);

static inline void cleanup_elf(Elf **elf)
{
    elf_end(*elf);
}

#define CLEANUP_ELF __attribute__((cleanup(cleanup_elf)))

/* Opens the regular file for reading by `command`, ELF_C_READ or ELF_C_READ_MMAP. Returns NULL
 * where it cannot be opened; `*fd`, which the caller closes after it, is -1 or a descriptor. */
static inline Elf *elf_file_open(const char *path, Elf_Cmd command, int *fd)
{
    struct stat status;
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (*fd < 0 || fstat(*fd, &status) != 0 || !S_ISREG(status.st_mode) ||
        elf_version(EV_CURRENT) == EV_NONE)
        return NULL;
    return elf_begin(*fd, command, NULL);
}
