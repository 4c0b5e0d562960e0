/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/program_name.h"

#include <stdbool.h>
#include <string.h>

bool program_is_named(const char *path, size_t size, const char *const names[])
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
    const char *slash = strrchr(path, '/'), *versioned_slash = memrchr(versioned, '/', size);
    const char *name = slash == NULL ? path : slash + 1;
    const char *other = versioned_slash == NULL ? versioned : versioned_slash + 1;
    size_t length = strlen(name), other_length = (size_t)(versioned + size - other);
    if (length == 0 || length > other_length || memcmp(name, other, length) != 0)
        return false;
    for (size_t i = length; i < other_length; i++)
        if (strchr("0123456789.-", other[i]) == NULL)
            return false;
    return true;
}

bool program_is_runtime(const char *path, size_t size)
{
    static const char *const names[] = {
        "apptainer", "singularity", "starter", "starter-suid", "ch-run", "podman", "docker",
        "enroot",    "shifter",     "sarus",   "udocker",      "runc",   "crun",   NULL,
    };
    return program_is_named(path, size, names);
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
