/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which package of dpkg(1) or rpm(8) a library belongs to.
 */
#pragma once

#include <stdbool.h>

#include "contrib/libraries/globs.h"

struct library_packages;

/* Reads them below the directory `root` ("/": of this system), as far as the names of files are
 * `patterns`. What is not there has no packages. Returns 0 or -ENOMEM; library_packages_free()
 * releases. */
int library_packages_read(const char *root, const struct globs *patterns,
                          struct library_packages **packages);

/* The package and version of the file of this path, which begins with `root`. Returns whether there
 * is one; the texts are the list's. */
bool library_packages_find(const struct library_packages *packages, const char *path,
                           const char **package, const char **version);

/* Why packages may be lacking, for people; "": they are not. Valid as long as the packages. */
const char *library_packages_trouble(const struct library_packages *packages);

/* Takes NULL. */
void library_packages_free(struct library_packages *packages);
