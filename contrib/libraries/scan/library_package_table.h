/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What library_packages.h finds: packages and their files, as the readers of dpkg's and rpm's
 * databases fill it. For these three alone.
 */
#pragma once

#include <stddef.h>

#include "contrib/libraries/globs.h"
#include "contrib/libraries/scan/library_packages.h"

struct library_package {
    char *name;    /* owned; without an architecture */
    char *list;    /* owned: the name of its list, without its end; NULL: it is rpm's */
    char *version; /* owned; NULL: not known */
};

struct package_file {
    char *path;     /* owned; of the package */
    size_t package; /* index */
};

struct library_packages {
    char *root;        /* owned; "" for / */
    char trouble[512]; /* as library_packages_trouble() */
    struct library_package *package;
    struct package_file *file;
    size_t packages, files;
};

/* Appends a package without a version. Returns 0 or -ENOMEM. */
int library_package_add(struct library_packages *packages, const char *name, size_t length);

/* Appends a file of the package that was added last, if its name is one of the patterns. Returns 0
 * or -ENOMEM. */
int library_package_add_file(struct library_packages *packages, const struct globs *patterns,
                             const char *path);

/* Read the databases of the system of packages->root. Return 0 or -ENOMEM. What is not there has
 * no packages. */
int library_dpkg_read(struct library_packages *packages, const struct globs *patterns);
int library_rpm_read(struct library_packages *packages, const struct globs *patterns);
