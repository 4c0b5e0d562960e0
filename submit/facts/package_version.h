/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The version of a Python package without __version__, from what its
 * installer left beside it: NAME-VERSION.dist-info and NAME-VERSION.egg-info, whose NAME is the
 * package's or whose top_level.txt lists it. https://packaging.python.org/en/latest/specifications/
 */
#pragma once

enum { PACKAGE_VERSION_SIZE = 129 };

struct package_versions;

/* Remembers what it has read of directories, which packages share. Returns NULL when out of memory;
 * package_versions_free() releases. */
struct package_versions *package_versions_new(void);

/* Looks for the version of the package `name`, whose file is `path`, and writes it, or "", to
 * PACKAGE_VERSION_SIZE bytes at `version`. Reads the user's files: to be called as the user. */
void package_version_find(struct package_versions *versions, const char *name, const char *path,
                          char *version);

void package_versions_free(struct package_versions *versions);
