/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What rpm prints about packages: it is the same in whatever parts it comes, and each file has a
 * package.
 */
#include <stdlib.h>
#include <string.h>

#include "contrib/libraries/scan/library_rpm.h"
#include "test/fuzz/fuzz.h"

static struct library_packages *read_parts(const unsigned char *data, size_t size, size_t part,
                                           const struct globs *patterns)
{
    struct library_packages *packages = calloc(1, sizeof *packages);
    static struct library_rpm rpm;
    require(packages != NULL);
    rpm = (struct library_rpm){.packages = packages, .patterns = patterns};
    for (size_t at = 0; at < size; at += part)
        require(library_rpm_take(&rpm, (const char *)data + at,
                                 size - at < part ? size - at : part) == 0);
    return packages;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct globs *patterns;
    require(globs_read("*.so *.so.* *.a", &patterns) == 0);
    struct library_packages *whole = read_parts(data, size, size + 1, patterns);
    struct library_packages *parts = read_parts(data, size, 7, patterns);
    require(whole->packages == parts->packages && whole->files == parts->files);
    for (size_t i = 0; i < whole->files; i++) {
        require(whole->file[i].package < whole->packages && whole->file[i].path[0] == '/');
        require(strcmp(whole->file[i].path, parts->file[i].path) == 0);
        require(whole->file[i].package == parts->file[i].package);
    }
    library_packages_free(whole);
    library_packages_free(parts);
    globs_free(patterns);
    return 0;
}
