/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/wrapper.h"

#include "submit/facts/coverage_witness.h"

/* setsid and unshare fork where they are asked to, and then wait or leave at once: the name alone
 * does not tell. As replacing ones their end is not claimed. */
static const char *const replacing[] = {
    "cgexec",  "chroot",  "chrt",    "env",    "ionice", "nice",    "nohup",   "numactl",
    "prlimit", "setarch", "setpriv", "setsid", "stdbuf", "taskset", "unshare", NULL,
};

static const char *const waiting[] = {"dumb-init", "flock", "time", "timeout",
                                      "tini",      "xargs", NULL};

enum wrapper_kind wrapper_kind(const char *path, size_t size)
{
    if (path == NULL)
        return WRAPPER_NONE;
    return coverage_is_named(path, size, replacing) ? WRAPPER_REPLACES
           : coverage_is_named(path, size, waiting) ? WRAPPER_WAITS
                                                    : WRAPPER_NONE;
}
