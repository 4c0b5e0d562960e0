/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ldwrap/startup.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/program_run.h"
#include "conf/conf.h"
#include "ldwrap/descriptor_numbers.h"

/* Whether the link has the C library's start-up code, which runs constructors: crt1.o, Scrt1.o,
 * rcrt1.o or gcrt1.o. */
static bool startup_has_crt(const struct link_line *line)
{
    for (size_t i = 0; i < line->inputs.count; i++) {
        const char *path = line->inputs.item[i];
        size_t length = strlen(path);
        if (length >= 6 && strcmp(path + length - 6, "crt1.o") == 0)
            return true;
    }
    return false;
}

bool startup_is_wanted(const struct link_line *line, uint32_t site)
{
    if (site == CONF_STARTUP_NONE || line->is_shared || !startup_has_crt(line))
        return false;
    return line->is_static || site == CONF_STARTUP_ALL;
}

static const char *machine_name(const struct elf_target *target)
{
    if (target->machine == EM_X86_64 && target->elf_class == ELFCLASS64)
        return "x86_64";
    if (target->machine == EM_386)
        return "i386";
    return target->machine == EM_AARCH64 && target->data == ELFDATA2LSB ? "aarch64" : NULL;
}

/* A copy in memory. Takes the descriptor over. */
static int copy_to_memory(int fd)
{
    struct stat status;
    int copy = descriptor_memory("jobtrail start-up");
    if (copy >= 0 && (fstat(fd, &status) != 0 || sendfile(copy, fd, NULL, (size_t)status.st_size) !=
                                                     (ssize_t)status.st_size)) {
        close(copy);
        copy = -1;
    }
    close(fd);
    return copy;
}

int startup_open(const struct elf_target *target, const char *before, const char *after,
                 bool has_path)
{
    char name[256], path[PATH_MAX];
    const char *machine = machine_name(target);
    if (machine == NULL)
        return -1;
    snprintf(name, sizeof name, STARTUP_FROM_BIN "/%s%s%s", before, machine, after);
    if (!program_place(name, path, sizeof path))
        return -1;
    int fd = descriptor_move_up(open(path, O_RDONLY | O_CLOEXEC));
    return fd < 0 || has_path ? fd : copy_to_memory(fd);
}

/* ---- The library for profiles ---------------------------------------------------------------- */

static bool is_one_of(const char *text, const char *const *words)
{
    while (*words != NULL && strcmp(text, *words) != 0)
        words++;
    return *words != NULL;
}

int profile_archive_place(const struct link_line *line, uint32_t site,
                          const struct strings *arguments)
{
    const int argc = (int)arguments->count;
    char *const *argv = arguments->item;
    static const char *const ends[] = {"-lgcc", "-lgcc_s", "-lgcc_eh", "-lc", NULL};
    static const char *const openers[] = {"--start-group", "-(",         "--push-state",
                                          "--as-needed",   "-as-needed", NULL};
    int place = 1;
    if (site == CONF_PROFILE_NONE || line->is_shared || !startup_has_crt(line))
        return 0;
    while (place < argc && !is_one_of(argv[place], ends))
        place++;
    if (place == argc)
        return 0;
    while (place > 1 && is_one_of(argv[place - 1], openers))
        place--;
    return place;
}
