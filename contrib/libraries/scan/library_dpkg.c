/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Packages of dpkg(1): the lists of files in var/lib/dpkg/info, and the versions in
 * var/lib/dpkg/status.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/directory.h"
#include "contrib/libraries/scan/library_package_table.h"

/* Files of dpkg are smaller. What is larger is not read, so that no line is. */
enum { FILE_BYTES_MAX = 256 << 20 };

/* Opens a regular file that is no link; NULL where there is none. */
static FILE *open_file(int at, const char *name)
{
    struct stat status;
    int fd = openat(at, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    bool is_file = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
                   status.st_size <= FILE_BYTES_MAX;
    FILE *stream = is_file ? fdopen(fd, "r") : NULL;
    if (stream == NULL && fd >= 0)
        close(fd);
    return stream;
}

/* The directory var/lib/dpkg of the system of packages. No link below another system's root is
 * followed: it might lead out of it. */
static int open_dpkg(const struct library_packages *packages)
{
    static const char *const parts[] = {"var", "lib", "dpkg"};
    if (packages->root[0] == '\0')
        return open("/var/lib/dpkg", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int fd = open(packages->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && fd >= 0; i++) {
        int below = directory_open(fd, parts[i]);
        close(fd);
        fd = below;
    }
    return fd;
}

/* A list has a path on each line. */
static int read_list(struct library_packages *packages, const struct globs *patterns, int at,
                     const char *name)
{
    CLEANUP_FREE char *line = NULL;
    size_t room = 0;
    CLEANUP_FCLOSE FILE *stream = open_file(at, name);
    if (stream == NULL)
        return 0;
    while (getline(&line, &room, stream) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (library_package_add_file(packages, patterns, line) != 0)
            return -ENOMEM;
    }
    return 0;
}

static int add_list(struct library_packages *packages, const char *list, size_t length)
{
    const char *colon = memchr(list, ':', length);
    char *copy = strndup(list, length);
    if (copy == NULL ||
        library_package_add(packages, list, colon == NULL ? length : (size_t)(colon - list)) != 0) {
        free(copy);
        return -ENOMEM;
    }
    packages->package[packages->packages - 1].list = copy;
    return 0;
}

static int read_lists(struct library_packages *packages, const struct globs *patterns, int dpkg)
{
    CLEANUP_LISTING DIR *listing = NULL;
    int error = 0;
    listing_take(directory_open(dpkg, "info"), &listing);
    for (const char *name; error == 0 && (name = listing_next(listing)) != NULL;) {
        size_t length = strlen(name);
        if (length <= 5 || strcmp(name + length - 5, ".list") != 0)
            continue;
        error = add_list(packages, name, length - 5);
        if (error == 0)
            error = read_list(packages, patterns, dirfd(listing), name);
    }
    return error;
}

static int by_list(const void *a, const void *b)
{
    return strcmp(((const struct library_package *)a)->list,
                  ((const struct library_package *)b)->list);
}

/* ---- Versions -------------------------------------------------------------------------------- */

/* What a stanza of the status file says. */
struct stanza {
    char name[256], architecture[64], version[256];
};

static struct library_package *find_package(const struct library_packages *packages, char *list)
{
    struct library_package key = {.list = list};
    return packages->packages == 0
               ? NULL
               : bsearch(&key, packages->package, packages->packages, sizeof key, by_list);
}

/* The list is NAME.list, or NAME:ARCHITECTURE.list where several can be installed. */
static int end_stanza(const struct library_packages *packages, struct stanza *stanza)
{
    char list[sizeof stanza->name + sizeof stanza->architecture + 1];
    snprintf(list, sizeof list, "%s:%s", stanza->name, stanza->architecture);
    struct library_package *package = find_package(packages, list);
    if (package == NULL)
        package = find_package(packages, stanza->name);
    int error = 0;
    if (package != NULL && package->version == NULL && stanza->version[0] != '\0') {
        package->version = strdup(stanza->version);
        error = package->version == NULL ? -ENOMEM : 0;
    }
    *stanza = (struct stanza){.name = ""};
    return error;
}

static void take_field(const char *line, const char *field, char *text, size_t size)
{
    size_t length = strlen(field);
    if (strncmp(line, field, length) == 0)
        snprintf(text, size, "%s", line + length + strspn(line + length, " "));
}

static int read_versions(struct library_packages *packages, int dpkg)
{
    struct stanza stanza = {.name = ""};
    CLEANUP_FREE char *line = NULL;
    size_t room = 0;
    int error = 0;
    CLEANUP_FCLOSE FILE *stream = open_file(dpkg, "status");
    while (error == 0 && stream != NULL && getline(&line, &room, stream) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '\0')
            error = end_stanza(packages, &stanza);
        take_field(line, "Package:", stanza.name, sizeof stanza.name);
        take_field(line, "Architecture:", stanza.architecture, sizeof stanza.architecture);
        take_field(line, "Version:", stanza.version, sizeof stanza.version);
    }
    return error == 0 ? end_stanza(packages, &stanza) : error;
}

/* The lists are sorted after the files have their packages' numbers: those follow. */
static int sort_packages(struct library_packages *packages)
{
    CLEANUP_FREE char **list = calloc(packages->packages + 1, sizeof *list);
    if (list == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < packages->packages; i++)
        list[i] = packages->package[i].list;
    if (packages->packages > 1)
        qsort(packages->package, packages->packages, sizeof *packages->package, by_list);
    for (size_t i = 0; i < packages->files; i++)
        packages->file[i].package =
            (size_t)(find_package(packages, list[packages->file[i].package]) - packages->package);
    return 0;
}

int library_dpkg_read(struct library_packages *packages, const struct globs *patterns)
{
    CLEANUP_CLOSE int dpkg = open_dpkg(packages);
    int error = dpkg < 0 ? 0 : read_lists(packages, patterns, dpkg);
    if (error == 0)
        error = sort_packages(packages);
    return error == 0 && dpkg >= 0 ? read_versions(packages, dpkg) : error;
}
