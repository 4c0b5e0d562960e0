/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/wrapper.h"

#include <stdbool.h>
#include <string.h>

#include "submit/facts/program_name.h"

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
