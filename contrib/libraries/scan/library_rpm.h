/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What rpm prints about packages: a line NAME VERSION for each, and the paths of its files behind
 * it, which begin with '/'.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contrib/libraries/scan/library_package_table.h"

/* {0} at first, but for packages and patterns. */
struct library_rpm {
    struct library_packages *packages;
    const struct globs *patterns;
    char line[PATH_MAX];
    size_t size;
    bool is_cut; /* the line is longer: it is left out */
    uint64_t bytes;
};

/* Takes the next bytes. Returns 0, -ENOMEM, or -EFBIG where it is too much. */
int library_rpm_take(void *rpm, const char *bytes, size_t size);
