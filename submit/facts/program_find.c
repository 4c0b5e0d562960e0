/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/program_find.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/elf_segments.h"

/* The kernel follows that many interpreters of interpreters (execve(2)). */
enum { INTERPRETERS_MAX = 4, FIRST_LINE_MAX = 256 };

/* The first executable file of that name in the directories of `search`. */
static bool find_in(const char *search, const char *cwd, const char *name, char *found)
{
    while (search != NULL && *search != '\0') {
        size_t length = strcspn(search, ":");
        struct stat status;
        bool is_absolute = *search == '/';
        int size = snprintf(found, PATH_MAX, "%s%s%.*s/%s", is_absolute || cwd == NULL ? "" : cwd,
                            is_absolute ? "" : "/", (int)length, search, name);
        if (size > 0 && size < PATH_MAX && access(found, X_OK) == 0 && stat(found, &status) == 0 &&
            S_ISREG(status.st_mode))
            return true;
        search += length;
        search += *search == ':';
    }
    return false;
}

void program_asked_for(const struct journal_program *launched, char path[PATH_MAX])
{
    const char *name = launched->path;
    bool is_below = name[0] != '/' && strchr(name, '/') != NULL && launched->cwd != NULL;
    while (is_below && strncmp(name, "./", 2) == 0)
        name += 1 + strspn(name + 1, "/");
    int size = snprintf(path, PATH_MAX, "%s%s%s", is_below ? launched->cwd : "",
                        is_below ? "/" : "", name);
    if (size < 0 || size >= PATH_MAX)
        path[0] = '\0';
}

/* Returns whether there is such a file, and its real path in `real`. */
static bool find_program_file(const struct journal_program *launched, char *real)
{
    char path[PATH_MAX];
    if (strchr(launched->path, '/') == NULL)
        return find_in(launched->search, launched->cwd, launched->path, path) &&
               realpath(path, real) != NULL;
    program_asked_for(launched, path);
    return realpath(path, real) != NULL;
}

/* Programs with a dynamic loader have an interpreter (PT_INTERP). */
static enum program_kind kind_of_elf(int fd)
{
    struct elf_segments segments;
    if (elf_segments_read(fd, &segments) != 0 || segments.count == 0 ||
        (segments.type != ET_EXEC && segments.type != ET_DYN))
        return PROGRAM_UNKNOWN;
    for (size_t i = 0; i < segments.count; i++)
        if (segments.phdr[i].p_type == PT_INTERP)
            return PROGRAM_DYNAMIC;
    return PROGRAM_STATIC;
}

/* The rule by which the kernel sets AT_SECURE, except for security modules. */
static bool is_privileged(int fd, const struct stat *status, uid_t uid, gid_t gid)
{
    if ((status->st_mode & S_ISUID) != 0 && status->st_uid != uid)
        return true;
    if ((status->st_mode & S_ISGID) != 0 && (status->st_mode & S_IXGRP) != 0 &&
        status->st_gid != gid)
        return true;
    return uid != 0 && fgetxattr(fd, "security.capability", NULL, 0) > 0;
}

/* Finds the interpreter that a script's first line names. Returns whether there is one. */
static bool find_interpreter(int fd, char *real)
{
    char line[FIRST_LINE_MAX + 1];
    ssize_t got = pread(fd, line, FIRST_LINE_MAX, 0);
    if (got < 3 || line[0] != '#' || line[1] != '!')
        return false;
    line[got] = '\0';
    char *name = line + 2 + strspn(line + 2, " \t");
    name[strcspn(name, " \t\n")] = '\0';
    return name[0] == '/' && realpath(name, real) != NULL;
}

/* Finds the kind of program->path. Of a script, puts its interpreter there and returns true: that
 * is to be examined next. */
static bool examine_program(struct program *program, uid_t uid, gid_t gid)
{
    struct stat status;
    CLEANUP_CLOSE int fd = open(program->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    char interpreter[PATH_MAX];
    if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
        return false;
    if (find_interpreter(fd, interpreter)) {
        memcpy(program->path, interpreter, sizeof program->path);
        return true;
    }
    program->kind = kind_of_elf(fd);
    if (program->kind == PROGRAM_DYNAMIC && is_privileged(fd, &status, uid, gid))
        program->kind = PROGRAM_PRIVILEGED;
    return false;
}

void program_find(const struct journal_program *launched, uid_t uid, gid_t gid,
                  struct program *program)
{
    char real[PATH_MAX];
    program->kind = PROGRAM_UNKNOWN;
    program->path[0] = '\0';
    if (launched == NULL || launched->path == NULL)
        return;
    if (!find_program_file(launched, real)) {
        program->kind = PROGRAM_MISSING;
        program_asked_for(launched, program->path);
        return;
    }
    memcpy(program->path, real, sizeof program->path);
    for (int i = 0; i < INTERPRETERS_MAX && examine_program(program, uid, gid); i++)
        ;
}
