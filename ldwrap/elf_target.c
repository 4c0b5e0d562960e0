/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ldwrap/elf_target.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <sys/stat.h>

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
    int result = -ENOENT;
    Elf_Cmd command = ELF_C_READ;
    for (Elf *member; result != 0 && (member = elf_begin(fd, command, archive)) != NULL;) {
        result = read_object(member, target);
        command = elf_next(member);
        elf_end(member);
    }
    return result;
}

static int read_target(const char *path, struct elf_target *target)
{
    struct stat status;
    int result = -ENOENT;
    CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
        return result;
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    if (elf == NULL)
        return result;
    result = elf_kind(elf) == ELF_K_AR ? read_archive(fd, elf, target) : read_object(elf, target);
    elf_end(elf);
    return result;
}

int elf_target_find(const struct strings *inputs, struct elf_target *target)
{
    if (elf_version(EV_CURRENT) == EV_NONE)
        return -ENOENT;
    for (size_t i = 0; i < inputs->count; i++) {
        if (read_target(inputs->item[i], target) == 0)
            return 0;
    }
    return -ENOENT;
}
