/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_LDWRAP_ELF_TARGET_H
#define JOBTRAIL_LDWRAP_ELF_TARGET_H

#include <stdint.h>

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

#endif
