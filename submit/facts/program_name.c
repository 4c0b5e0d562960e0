/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/program_name.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/elf_segments.h"
#include "conf/base/io.h"

/* Whether it is one of the names, which end with NULL. */
static bool program_is_named(const char *path, size_t size, const char *const names[])
{
    const char *slash = memrchr(path, '/', size);
    size_t length = slash == NULL ? size : (size_t)(path + size - slash - 1);
    for (size_t i = 0; names[i] != NULL; i++) {
        if (strlen(names[i]) == length && memcmp(names[i], path + size - length, length) == 0)
            return true;
    }
    return false;
}

bool program_is_version_of(const char *path, const char *versioned, size_t size)
{
    const char *versioned_slash = memrchr(versioned, '/', size), *name = basename(path);
    const char *other = versioned_slash == NULL ? versioned : versioned_slash + 1;
    size_t length = strlen(name), other_length = (size_t)(versioned + size - other);
    if (length == 0 || length > other_length || memcmp(name, other, length) != 0)
        return false;
    for (size_t i = length; i < other_length; i++)
        if (strchr("0123456789.-", other[i]) == NULL)
            return false;
    return true;
}

const char *program_container(const char *path, size_t size)
{
    static const struct {
        const char *kind, *names[5];
    } runtimes[] = {
        {"apptainer", {"apptainer", "singularity", "starter", "starter-suid"}},
        {"charliecloud", {"ch-run"}},
        {"bubblewrap", {"bwrap"}},
        {"podman", {"podman"}},
        {"docker", {"docker"}},
        {"enroot", {"enroot"}},
        {"shifter", {"shifter"}},
        {"sarus", {"sarus"}},
        {"udocker", {"udocker"}},
        {"runc", {"runc"}},
        {"crun", {"crun"}},
    };
    for (size_t i = 0; i < sizeof runtimes / sizeof *runtimes; i++)
        if (program_is_named(path, size, runtimes[i].names))
            return runtimes[i].kind;
    return NULL;
}

bool program_is_runtime(const char *path, size_t size)
{
    return program_container(path, size) != NULL;
}

bool program_is_loader(const char *path, size_t size)
{
    const char *slash = memrchr(path, '/', size), *name = slash == NULL ? path : slash + 1;
    size_t length = (size_t)(path + size - name);
    return length >= 5 && (memcmp(name, "ld.so", 5) == 0 ||
                           (memcmp(name, "ld-", 3) == 0 && memmem(name, length, ".so", 3) != NULL));
}

bool program_is_stand_in(const char *path, size_t size)
{
    static const char in_memory[] = "/memfd:";
    const size_t length = sizeof in_memory - 1;
    return program_is_loader(path, size) || (size == 1 && path[0] == '/') ||
           (size > length && memcmp(path, in_memory, length) == 0);
}

bool program_is_shell(const char *path, size_t size)
{
    static const char *const names[] = {
        "sh",  "bash", "dash", "zsh",  "zsh5",    "ksh", "ksh93",
        "csh", "tcsh", "mksh", "fish", "busybox", NULL,
    };
    return program_is_named(path, size, names);
}

/* What stands behind a separator in the names that distributions give (MPI_SUFFIXES of
 * conf/conf_rules.c). */
static bool is_suffix(const char *word, size_t length)
{
    static const char *const suffixes[] = {
        "openmpi", "mpich",    "mpich2", "mvapich", "mvapich2", "lam", "hydra",
        "gforker", "remshell", "slurm",  "x86_64",  "aarch64",  NULL,
    };
    return program_is_named(word, length, suffixes) ||
           (length > 0 && strspn(word, "0123456789") >= length);
}

/* Whether the file's name is one of these, or one of these and what distributions add:
 * mpirun.openmpi, mpiexec.hydra, mpirun-4.1. */
static bool is_named_or_more(const char *path, size_t size, const char *const names[])
{
    const char *slash = memrchr(path, '/', size), *name = slash == NULL ? path : slash + 1;
    char copy[64];
    size_t length = (size_t)(path + size - name);
    if (length >= sizeof copy)
        return false;
    memcpy(copy, name, length);
    copy[length] = '\0';
    for (;;) {
        if (program_is_named(copy, length, names))
            return true;
        size_t end = length;
        while (length > 0 && copy[length - 1] != '-' && copy[length - 1] != '.')
            length--;
        if (length == 0 || !is_suffix(copy + length, end - length))
            return false;
        copy[--length] = '\0';
    }
}

bool program_is_daemon(const char *path, size_t size)
{
    static const char *const names[] = {"orted", "prted", "hydra_pmi_proxy", "hydra_bstrap_proxy",
                                        NULL};
    return is_named_or_more(path, size, names);
}

bool program_forks_tasks(const char *path, size_t size)
{
    static const char *const names[] = {"mpirun", "mpiexec", "orterun", "prterun",
                                        "prte",   "prun",    NULL};
    return is_named_or_more(path, size, names) || program_is_daemon(path, size);
}

/* The built-in rules for paths (conf/conf_rules.c) have the same names. */
bool program_is_launcher(const char *path, size_t size)
{
    static const char *const names[] = {"srun",       "salloc",      "mpirun_rsh", "mpiexec_rsh",
                                        "mpirun_mpd", "mpiexec_mpd", NULL};
    return program_is_named(path, size, names) || program_forks_tasks(path, size);
}

/* ---- Programs that only start another one ---------------------------------------------------- */

/* setsid and unshare fork where they are asked to, and then wait or leave at once: the name alone
 * does not tell. As replacing ones their end is not claimed. */
static const char *const replacing_tools[] = {
    "chroot",  "chrt",    "env",    "ionice", "nice",    "nohup",   "prlimit",
    "setarch", "setpriv", "setsid", "stdbuf", "taskset", "unshare", NULL,
};

static const char *const waiting_tools[] = {"flock", "time", "timeout", "xargs", NULL};

/* Sites install these outside of the system's directories. */
static const char *const replacing[] = {"cgexec", "numactl", NULL};
static const char *const waiting[] = {"dumb-init", "tini", NULL};

/* The last one is where Ubuntu has coreutils in Rust: the path of an executable is the real one. */
static const char *const system_directories[] = {
    "/usr/bin/", "/bin/", "/usr/sbin/", "/sbin/", "/usr/lib/cargo/bin/coreutils/", NULL,
};

static bool is_of_system(const char *path, size_t size)
{
    const char *slash = memrchr(path, '/', size);
    size_t length = slash == NULL ? 0 : (size_t)(slash + 1 - path);
    for (size_t i = 0; system_directories[i] != NULL; i++) {
        if (strlen(system_directories[i]) == length &&
            memcmp(system_directories[i], path, length) == 0)
            return true;
    }
    return false;
}

enum wrapper_kind wrapper_kind(const char *path, size_t size)
{
    if (path == NULL)
        return WRAPPER_NONE;
    bool system = is_of_system(path, size);
    if (program_is_named(path, size, replacing) ||
        (system && program_is_named(path, size, replacing_tools)))
        return WRAPPER_REPLACES;
    if (program_is_named(path, size, waiting) ||
        (system && program_is_named(path, size, waiting_tools)))
        return WRAPPER_WAITS;
    return WRAPPER_NONE;
}

/* ---- The program of a task ------------------------------------------------------------------- */

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

bool program_find_file(const struct journal_program *launched, char real[PATH_MAX])
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
    CLEANUP_CLOSE int fd = io_open_regular(AT_FDCWD, program->path, 0);
    char interpreter[PATH_MAX];
    if (fd < 0 || fstat(fd, &status) != 0)
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
    if (!program_find_file(launched, real)) {
        program->kind = PROGRAM_MISSING;
        program_asked_for(launched, program->path);
        return;
    }
    memcpy(program->path, real, sizeof program->path);
    for (int i = 0; i < INTERPRETERS_MAX && examine_program(program, uid, gid); i++)
        ;
}
