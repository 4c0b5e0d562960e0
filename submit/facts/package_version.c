/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/package_version.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/directory.h"
#include "conf/base/grow.h"
#include "conf/base/io.h"

/* Bounds: users may make all of this as large as they like. */
enum { DIRECTORIES_MAX = 64, ENTRIES_MAX = 8192, TEXT_MAX = 4096 };

/* What an installer left of one package. */
struct installed {
    char *name;    /* owned; of the distribution, as compare_names() has it */
    char *version; /* inside name or info */
    char *info;    /* owned; the head of PKG-INFO, where the name has no version; NULL: none */
    char *top;     /* owned; the lines of top_level.txt; NULL: none */
};

struct directory {
    char *path; /* owned */
    struct installed *installed;
    size_t count;
};

struct package_versions {
    struct directory directory[DIRECTORIES_MAX];
    size_t count;
};

struct package_versions *package_versions_new(void)
{
    return calloc(1, sizeof(struct package_versions));
}

static int normal_letter(int c)
{
    if (c == '-' || c == '.')
        return '_';
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

/* Installers do not tell apart upper and lower case, nor '-', '_' and '.'. */
static bool is_same_name(const char *a, const char *b)
{
    while (*a != '\0' && normal_letter(*a) == normal_letter(*b)) {
        a++;
        b++;
    }
    return *a == *b;
}

/* The head of the file NAME/FILE, or NULL. */
static char *read_text(int directory, const char *name, const char *file)
{
    char path[NAME_MAX + 32], *text = NULL;
    snprintf(path, sizeof path, "%s/%s", name, file);
    int fd = io_open_regular(directory, path, 0);
    if (fd < 0)
        return NULL;
    text = calloc(1, TEXT_MAX + 1);
    ssize_t got = text == NULL ? -1 : read(fd, text, TEXT_MAX);
    close(fd);
    if (got > 0)
        return text;
    free(text);
    return NULL;
}

/* The version in the text of PKG-INFO, cut off there; NULL: none. */
static char *version_of_info(char *info)
{
    char *version = info == NULL ? NULL : strstr(info, "\nVersion:");
    if (version == NULL)
        return NULL;
    version += strlen("\nVersion:");
    version += strspn(version, " \t");
    version[strcspn(version, " \t\r\n")] = '\0';
    return version;
}

static bool is_version(const char *text)
{
    size_t length = text == NULL ? 0 : strlen(text);
    for (size_t i = 0; i < length; i++)
        if (text[i] <= ' ' || text[i] > '~')
            return false;
    return length > 0 && length < PACKAGE_VERSION_SIZE;
}

/* Splits "NAME-VERSION.dist-info" or "NAME-VERSION[-pyX.Y].egg-info"; or "NAME.egg-info",
 * which setuptools makes beside sources that are installed in place. Returns whether there is a
 * version. */
static bool parse_entry(struct installed *found, int directory, const char *entry)
{
    char *end = strrchr(found->name, '.');
    char *dash = strchr(found->name, '-');
    bool is_egg = end != NULL && strcmp(end, ".egg-info") == 0;
    if (end == NULL || end == found->name || (!is_egg && strcmp(end, ".dist-info") != 0))
        return false;
    *end = '\0';
    if (dash != NULL && dash > found->name && dash < end) {
        *dash = '\0';
        found->version = dash + 1;
        found->version[strcspn(found->version, "-")] = '\0';
    } else if (is_egg) {
        found->info = read_text(directory, entry, "PKG-INFO");
        found->version = version_of_info(found->info);
    }
    return is_version(found->version);
}

static void free_installed(struct installed *installed)
{
    free(installed->name);
    free(installed->info);
    free(installed->top);
}

static void add_installed(struct directory *directory, int fd, const char *entry)
{
    struct installed found = {.name = strdup(entry)};
    if (found.name == NULL || !parse_entry(&found, fd, entry) ||
        GROW(directory->installed, directory->count) != 0) {
        free_installed(&found);
        return;
    }
    found.top = read_text(fd, entry, "top_level.txt");
    directory->installed[directory->count++] = found;
}

/* What is installed in the directory of `length` bytes at `path`; NULL: too many, or no memory. */
static const struct directory *find_directory(struct package_versions *versions, const char *path,
                                              size_t length)
{
    for (size_t i = 0; i < versions->count; i++) {
        const struct directory *directory = &versions->directory[i];
        if (strlen(directory->path) == length && memcmp(directory->path, path, length) == 0)
            return directory;
    }
    if (versions->count == DIRECTORIES_MAX)
        return NULL;
    struct directory *directory = &versions->directory[versions->count];
    directory->path = strndup(path, length);
    if (directory->path == NULL)
        return NULL;
    versions->count++;
    CLEANUP_LISTING DIR *listing = NULL;
    const char *entry;
    listing_open(AT_FDCWD, directory->path, &listing);
    for (int i = 0; i < ENTRIES_MAX && (entry = listing_next(listing)) != NULL; i++)
        add_installed(directory, dirfd(listing), entry);
    return directory;
}

static bool has_line(const char *top, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = top; at != NULL && *at != '\0'; at += strspn(at, "\r\n")) {
        size_t line = strcspn(at, "\r\n");
        if (line == length && memcmp(at, name, length) == 0)
            return true;
        at += line;
    }
    return false;
}

void package_version_find(struct package_versions *versions, const char *name, const char *path,
                          char *version)
{
    /* The length of the directory that the package's parts are in: above NAME.py, above NAME/,
     * above A/B/ for A.B. 0: none. */
    const char *end = strrchr(path, '/');
    int levels = end != NULL && strncmp(end, "/__init__.", 10) == 0;
    for (const char *at = name; (at = strchr(at, '.')) != NULL; at++)
        levels++;
    while (end != NULL && levels-- > 0)
        end = memrchr(path, '/', (size_t)(end - path));
    size_t length = end == NULL || path[0] != '/' ? 0 : (size_t)(end - path);
    const struct directory *directory = length == 0 ? NULL : find_directory(versions, path, length);
    const struct installed *found = NULL;
    for (size_t i = 0; directory != NULL && i < directory->count && found == NULL; i++) {
        if (is_same_name(directory->installed[i].name, name))
            found = &directory->installed[i];
    }
    for (size_t i = 0; directory != NULL && i < directory->count && found == NULL; i++) {
        if (has_line(directory->installed[i].top, name))
            found = &directory->installed[i];
    }
    snprintf(version, PACKAGE_VERSION_SIZE, "%s", found == NULL ? "" : found->version);
}

void package_versions_free(struct package_versions *versions)
{
    for (size_t i = 0; versions != NULL && i < versions->count; i++) {
        struct directory *directory = &versions->directory[i];
        for (size_t k = 0; k < directory->count; k++)
            free_installed(&directory->installed[k]);
        free(directory->installed);
        free(directory->path);
    }
    free(versions);
}
