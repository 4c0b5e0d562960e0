/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ldwrap/elf_target.h"

#include <errno.h>

#include "conf/base/cleanup.h"

static int read_object(Elf *elf, struct elf_target *target)
{
    GElf_Ehdr header;
    if (elf_kind(elf) != ELF_K_ELF || gelf_getehdr(elf, &header) == NULL ||
        (header.e_type != ET_REL && header.e_type != ET_DYN))
        return -ENOENT;
    *target = (struct elf_target){
        .elf_class = header.e_ident[EI_CLASS],
        .data = header.e_ident[EI_DATA],
        .machine = header.e_machine,
        .flags = header.e_flags,
    };
    return 0;
}

static int read_archive(int fd, Elf *archive, struct elf_target *target)
{
    int error = -ENOENT;
    Elf_Cmd command = ELF_C_READ;
    for (Elf *member; error != 0 && (member = elf_begin(fd, command, archive)) != NULL;) {
        error = read_object(member, target);
        command = elf_next(member);
        elf_end(member);
    }
    return error;
}

static int read_target(const char *path, struct elf_target *target)
{
    CLEANUP_CLOSE int fd = -1;
    struct stat status;
    /* Opening a pipe and closing it ends its writer. */
    bool is_regular = stat(path, &status) == 0 && S_ISREG(status.st_mode);
    CLEANUP_ELF Elf *elf = is_regular ? elf_file_open(path, ELF_C_READ, &fd) : NULL;
    return elf_kind(elf) == ELF_K_AR ? read_archive(fd, elf, target) : read_object(elf, target);
}

int elf_target_find(const struct strings *inputs, struct elf_target *target)
{
    for (size_t i = 0; i < inputs->count; i++) {
        if (read_target(inputs->item[i], target) == 0)
            return 0;
    }
    return -ENOENT;
}
