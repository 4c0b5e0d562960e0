/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/scan/library_package_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/grow.h"

int library_package_add(struct library_packages *packages, const char *name, size_t length)
{
    struct library_package package = {.name = strndup(name, length)};
    if (package.name == NULL || GROW(packages->package, packages->packages) != 0) {
        free(package.name);
        return -ENOMEM;
    }
    packages->package[packages->packages++] = package;
    return 0;
}

int library_package_add_file(struct library_packages *packages, const struct globs *patterns,
                             const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL || packages->packages == 0 || !globs_match(patterns, slash + 1))
        return 0;
    char *copy = strdup(path);
    if (copy == NULL || GROW(packages->file, packages->files) != 0) {
        free(copy);
        return -ENOMEM;
    }
    packages->file[packages->files++] = (struct package_file){copy, packages->packages - 1};
    return 0;
}
