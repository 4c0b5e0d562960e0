/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/read/load_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/directory.h"
#include "conf/base/io.h"

enum { DIGITS_MAX = 9 };

/* The kind that `name` begins with, before `end`; RECORD_KINDS when it is none. */
static enum record_kind kind_before(const char *name, char end)
{
    size_t length = strcspn(name, (char[]){end, '\0'});
    return name[length] == end ? record_kind_of(name, length) : RECORD_KINDS;
}

enum record_kind place_kind(const char *name)
{
    enum record_kind kind = kind_before(name, '.');
    size_t length = strlen(name);
    if (kind == RECORD_KINDS || length <= strlen(record_kind_name(kind)) + 6 ||
        strcmp(name + length - 5, ".json") != 0)
        return RECORD_KINDS;
    return kind;
}

static bool is_number(const char *name)
{
    size_t digits = strspn(name, "0123456789");
    return digits > 0 && digits <= DIGITS_MAX && name[digits] == '\0';
}

/* XALT's directories: numbers, and kinds with numbers in them (XALT_FILE_PREFIX with the style
 * file_separate_dirs: build_resultDir in py_src/xalt_file_to_db.in.py). */
static bool is_sub(const char *sub, const char *name)
{
    return sub[0] == '\0' ? is_number(name) || kind_before(name, '\0') != RECORD_KINDS
                          : kind_before(sub, '\0') != RECORD_KINDS && is_number(name);
}

int source_open_sub(const struct load_source *source, const char *sub)
{
    const char *slash = strchr(sub, '/');
    if (slash == NULL)
        return directory_open(source->fd, sub[0] == '\0' ? "." : sub);
    struct load_place first = {.sub = ""};
    memcpy(first.sub, sub, (size_t)(slash - sub));
    CLEANUP_CLOSE int fd = directory_open(source->fd, first.sub);
    return fd < 0 ? fd : directory_open(fd, slash + 1);
}

static int open_parent(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        return open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    CLEANUP_FREE char *parent = strndup(path, slash == path ? 1 : (size_t)(slash - path));
    return parent == NULL ? -1 : open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

int source_open(const char *path, struct load_source *source)
{
    const char *name = NULL;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 && errno == ENOTDIR) {
        name = basename(path);
        if (strlen(name) > NAME_MAX)
            return -ENAMETOOLONG;
        fd = open_parent(path);
        if (fd >= 0 && faccessat(fd, name, F_OK, AT_SYMLINK_NOFOLLOW) != 0) {
            close(fd);
            return -ENOENT;
        }
    }
    if (fd < 0)
        return -errno;
    *source = (struct load_source){path, name, fd};
    return 0;
}

static int walk_sub(const struct load_source *source, const char *sub,
                    const struct load_visitor *visitor);

static int walk_entry(const struct load_source *source, const char *sub, int dir_fd,
                      const char *name, const struct load_visitor *visitor)
{
    if (place_kind(name) != RECORD_KINDS) {
        struct load_place place;
        strcpy(place.sub, sub);
        strcpy(place.name, name);
        return visitor->visit(visitor->context, dir_fd, &place);
    }
    if (!is_sub(sub, name))
        return 0;
    struct load_place below;
    snprintf(below.sub, sizeof below.sub, "%s%s%s", sub, sub[0] == '\0' ? "" : "/", name);
    return walk_sub(source, below.sub, visitor);
}

static int walk_sub(const struct load_source *source, const char *sub,
                    const struct load_visitor *visitor)
{
    CLEANUP_LISTING DIR *listing = NULL;
    int fd = source_open_sub(source, sub);
    if (fd == -ENOTDIR)
        return 0; /* a file with a name like that */
    if (fd < 0) {
        visitor->unreadable(visitor->context, sub, -fd);
        return 0;
    }
    int outcome = listing_take(fd, &listing);
    while (outcome == 0) {
        const char *name = listing_next(listing);
        if (name == NULL)
            return -errno;
        outcome = walk_entry(source, sub, dirfd(listing), name, visitor);
    }
    return outcome;
}

int source_walk(const struct load_source *source, const struct load_visitor *visitor)
{
    if (source->name == NULL)
        return walk_sub(source, "", visitor);
    struct load_place place = {.sub = ""};
    strcpy(place.name, source->name);
    return visitor->visit(visitor->context, source->fd, &place);
}

int source_remove(const struct load_source *source, const struct load_place *place)
{
    CLEANUP_CLOSE int fd = source_open_sub(source, place->sub);
    if (fd < 0)
        return fd;
    return unlinkat(fd, place->name, 0) == 0 || errno == ENOENT ? 0 : -errno;
}

/* ---- The text of a record file --------------------------------------------------------------- */

/* Users may write into the directories that are loaded, so an entry is opened without following a
 * link and without waiting, and must be a regular file. */

/* What an access list gives to others shows in the bits of the group. */
static bool is_closed(const struct stat *facts)
{
    return (facts->st_uid == 0 || facts->st_uid == geteuid()) &&
           (facts->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool load_directory_is_closed(int fd)
{
    struct stat facts;
    return fstat(fd, &facts) == 0 && is_closed(&facts);
}

static int open_regular(int dir_fd, const char *name, size_t *size, bool *closed,
                        struct load_reason *reason)
{
    int fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return -ENOENT;
    if (fd < 0 && errno == ELOOP)
        return load_refuse(reason, "is a symbolic link");
    if (fd < 0)
        return load_refuse(reason, "cannot be opened: %s", strerror(errno));

    struct stat facts;
    int error = 0;
    if (fstat(fd, &facts) != 0)
        error = load_refuse(reason, "cannot be read: %s", strerror(errno));
    else if (!S_ISREG(facts.st_mode))
        error = load_refuse(reason, "is not a regular file");
    else if (facts.st_size > (off_t)LOAD_TEXT_MAX_BYTES)
        error = load_refuse(reason, "is larger than %u bytes", LOAD_TEXT_MAX_BYTES);
    if (error != 0) {
        close(fd);
        return error;
    }
    *size = (size_t)facts.st_size;
    *closed = is_closed(&facts) && load_directory_is_closed(dir_fd);
    return fd;
}

int load_text(int dir_fd, const char *name, char **text, size_t *size, bool *closed,
              struct load_reason *reason)
{
    size_t expected = 0;
    CLEANUP_CLOSE int fd = open_regular(dir_fd, name, &expected, closed, reason);
    if (fd < 0)
        return fd;
    char *buffer = malloc(expected + 1);
    if (buffer == NULL)
        return -ENOMEM;
    /* A file that is shorter now than fstat(2) said fails as JSON later. */
    ssize_t got = io_read(fd, buffer, expected);
    if (got < 0) {
        free(buffer);
        return load_refuse(reason, "cannot be read: %s", strerror((int)-got));
    }
    buffer[got] = '\0';
    *text = buffer;
    *size = (size_t)got;
    return 0;
}
