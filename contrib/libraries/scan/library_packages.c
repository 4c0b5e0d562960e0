/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/scan/library_packages.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/libraries/scan/library_package_table.h"

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct package_file *)a)->path, ((const struct package_file *)b)->path);
}

int library_packages_read(const char *root, const struct globs *patterns,
                          struct library_packages **out)
{
    struct library_packages *packages = calloc(1, sizeof *packages);
    int error = packages == NULL ? -ENOMEM : 0;
    if (error == 0 && (packages->root = strdup(strcmp(root, "/") == 0 ? "" : root)) == NULL)
        error = -ENOMEM;
    if (error == 0)
        error = library_dpkg_read(packages, patterns);
    if (error == 0)
        error = library_rpm_read(packages, patterns);
    if (error == 0 && packages->files > 1)
        qsort(packages->file, packages->files, sizeof *packages->file, by_path);
    if (error == 0)
        *out = packages;
    else
        library_packages_free(packages);
    return error;
}

static const struct package_file *find_file(const struct library_packages *packages, char *path)
{
    struct package_file key = {.path = path};
    return packages->files == 0
               ? NULL
               : bsearch(&key, packages->file, packages->files, sizeof key, by_path);
}

bool library_packages_find(const struct library_packages *packages, const char *path,
                           const char **package, const char **version)
{
    size_t length = strlen(packages->root);
    if (strncmp(path, packages->root, length) != 0 || path[length] != '/')
        return false;
    /* lists have the names from before /lib became a link to /usr/lib, too */
    bool is_usr = strncmp(path + length, "/usr/", 5) == 0;
    const struct package_file *file = find_file(packages, (char *)(uintptr_t)(path + length));
    if (file == NULL && is_usr)
        file = find_file(packages, (char *)(uintptr_t)(path + length + 4));
    if (file == NULL)
        return false;
    const struct library_package *found = &packages->package[file->package];
    *package = found->name;
    *version = found->version == NULL ? "" : found->version;
    return true;
}

const char *library_packages_trouble(const struct library_packages *packages)
{
    return packages->trouble;
}

void library_packages_free(struct library_packages *packages)
{
    if (packages == NULL)
        return;
    for (size_t i = 0; i < packages->packages; i++) {
        free(packages->package[i].name);
        free(packages->package[i].list);
        free(packages->package[i].version);
    }
    for (size_t i = 0; i < packages->files; i++)
        free(packages->file[i].path);
    free(packages->package);
    free(packages->file);
    free(packages->root);
    free(packages);
}
