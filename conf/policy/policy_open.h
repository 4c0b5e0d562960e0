/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#include "spank/job_formats.h"

/* Reads the compiled policy from the file `path`, which root does only where nobody else can change
 * it (trusted.h). Returns 0, the file's status in `*status` and a usable policy in `*policy`, which
 * the caller frees; or -errno (-EPERM: others can change it; -EINVAL: it is no usable policy). */
int policy_open(const char *path, struct stat *status, void **policy);

/* The path of the compiled policy that belongs to the configuration file `conf`: its ".conf"
 * ending replaced by ".policy", or ".policy" appended, and JOB_FORMATS_SUFFIX. Written to `size`
 * bytes at `path`. Returns 1, or 0 when it does not fit. */
static inline int policy_path(const char *conf, char *path, size_t size)
{
    const char ending[] = ".conf", policy[] = ".policy" JOB_FORMATS_SUFFIX;
    size_t length = strlen(conf);
    if (length >= sizeof ending && strcmp(conf + length - (sizeof ending - 1), ending) == 0)
        length -= sizeof ending - 1;
    if (length + sizeof policy > size)
        return 0;
    memcpy(path, conf, length);
    memcpy(path + length, policy, sizeof policy);
    return 1;
}
