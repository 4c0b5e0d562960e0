/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/program_name.h"

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

/* Whether the file's name is one of these, or one of these and more behind one of `separators`, as
 * distributions name it: mpirun.openmpi, mpiexec.hydra, mpirun-4.1. */
static bool is_named_or_more(const char *path, size_t size, const char *const names[],
                             const char *separators)
{
    const char *slash = memrchr(path, '/', size), *name = slash == NULL ? path : slash + 1;
    size_t length = (size_t)(path + size - name);
    for (size_t i = 0; names[i] != NULL; i++) {
        size_t own = strlen(names[i]);
        if (own <= length && memcmp(names[i], name, own) == 0 &&
            (own == length || (name[own] != '\0' && strchr(separators, name[own]) != NULL)))
            return true;
    }
    return false;
}

bool program_is_daemon(const char *path, size_t size)
{
    static const char *const names[] = {"orted", "prted", "hydra_pmi_proxy", "hydra_bstrap_proxy",
                                        NULL};
    return is_named_or_more(path, size, names, "-.");
}

/* The built-in rules for paths (conf/conf_rules.c) have the same names. */
bool program_is_launcher(const char *path, size_t size)
{
    static const char *const exact[] = {"srun", "salloc", NULL};
    static const char *const names[] = {"mpirun", "mpiexec", "orterun", "prterun", NULL};
    static const char *const daemons[] = {"prte", "prun", NULL};
    return program_is_named(path, size, exact) || is_named_or_more(path, size, names, "-._") ||
           is_named_or_more(path, size, daemons, "-.") || program_is_daemon(path, size);
}
