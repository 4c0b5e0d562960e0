/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/program_find.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* The kernel follows that many interpreters of interpreters (execve(2)). */
enum { INTERPRETERS_MAX = 4, FIRST_LINE_MAX = 256 };

/* The first executable file of that name in the directories of `search`. */
static int find_in(const char *search, const char *cwd, const char *name, char *found)
{
    while (search != NULL && *search != '\0') {
        size_t length = strcspn(search, ":");
        struct stat status;
        int absolute = *search == '/';
        int size = snprintf(found, PATH_MAX, "%s%s%.*s/%s", absolute || cwd == NULL ? "" : cwd,
                            absolute ? "" : "/", (int)length, search, name);
        if (size > 0 && size < PATH_MAX && access(found, X_OK) == 0 && stat(found, &status) == 0 &&
            S_ISREG(status.st_mode))
            return 1;
        search += length;
        search += *search == ':';
    }
    return 0;
}

/* Returns whether there is such a file: its real path is then in `real`. */
static int find(const struct journal_program *asked, char *real)
{
    char path[PATH_MAX];
    int size;
    if (strchr(asked->path, '/') == NULL)
        return find_in(asked->search, asked->cwd, asked->path, path) &&
               realpath(path, real) != NULL;
    if (asked->path[0] == '/' || asked->cwd == NULL)
        size = snprintf(path, sizeof path, "%s", asked->path);
    else
        size = snprintf(path, sizeof path, "%s/%s", asked->cwd, asked->path);
    return size > 0 && (size_t)size < sizeof path && realpath(path, real) != NULL;
}

/* A program that has a loader, or is no program by itself, has an interpreter. */
static enum program_kind kind_of_elf(int fd)
{
    enum program_kind kind = PROGRAM_UNKNOWN;
    GElf_Ehdr header;
    size_t count;
    Elf *elf = elf_version(EV_CURRENT) == EV_NONE ? NULL : elf_begin(fd, ELF_C_READ, NULL);
    if (elf == NULL)
        return kind;
    if (elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header) != NULL &&
        (header.e_type == ET_EXEC || header.e_type == ET_DYN) && elf_getphdrnum(elf, &count) == 0 &&
        count > 0) {
        kind = PROGRAM_STATIC;
        for (size_t i = 0; i < count && i < 64; i++) {
            GElf_Phdr phdr;
            if (gelf_getphdr(elf, (int)i, &phdr) != NULL && phdr.p_type == PT_INTERP)
                kind = PROGRAM_DYNAMIC;
        }
    }
    elf_end(elf);
    return kind;
}

/* As the kernel decides whether AT_SECURE is set, but for security modules. */
static int is_privileged(int fd, const struct stat *status, uid_t uid, gid_t gid)
{
    if ((status->st_mode & S_ISUID) != 0 && status->st_uid != uid)
        return 1;
    if ((status->st_mode & S_ISGID) != 0 && (status->st_mode & S_IXGRP) != 0 &&
        status->st_gid != gid)
        return 1;
    return uid != 0 && fgetxattr(fd, "security.capability", NULL, 0) > 0;
}

/* The interpreter that a script's first line names. Returns 0 where it names none. */
static int find_interpreter(int fd, char *real)
{
    char line[FIRST_LINE_MAX + 1];
    ssize_t got = pread(fd, line, FIRST_LINE_MAX, 0);
    if (got < 3 || line[0] != '#' || line[1] != '!')
        return 0;
    line[got] = '\0';
    char *name = line + 2 + strspn(line + 2, " \t");
    name[strcspn(name, " \t\n")] = '\0';
    return name[0] == '/' && realpath(name, real) != NULL;
}

/* Looks at program->path; puts a script's interpreter there. Returns whether to look again. */
static int examine(struct program *program, uid_t uid, gid_t gid)
{
    struct stat status;
    int again = 0;
    int fd = open(program->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return 0;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
        char interpreter[PATH_MAX];
        if (find_interpreter(fd, interpreter)) {
            memcpy(program->path, interpreter, sizeof program->path);
            again = 1;
        } else {
            program->kind = kind_of_elf(fd);
            if (program->kind == PROGRAM_DYNAMIC && is_privileged(fd, &status, uid, gid))
                program->kind = PROGRAM_PRIVILEGED;
        }
    }
    close(fd);
    return again;
}

void program_find(const struct journal_program *asked, uid_t uid, gid_t gid,
                  struct program *program)
{
    char real[PATH_MAX];
    program->kind = PROGRAM_UNKNOWN;
    program->path[0] = '\0';
    if (asked == NULL || asked->path == NULL)
        return;
    if (!find(asked, real)) {
        program->kind = PROGRAM_MISSING;
        snprintf(program->path, sizeof program->path, "%s", asked->path);
        return;
    }
    memcpy(program->path, real, sizeof program->path);
    for (int i = 0; i < INTERPRETERS_MAX && examine(program, uid, gid); i++)
        ;
}
