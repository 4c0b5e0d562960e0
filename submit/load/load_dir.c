/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "load_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_record_name(const char *name)
{
    static const char *const kinds[] = {"run.", "link.", "pkg.", "coverage."};
    size_t length = strlen(name);
    if (length < 5 || strcmp(name + length - 5, ".json") != 0)
        return false;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strncmp(name, kinds[i], strlen(kinds[i])) == 0)
            return length > strlen(kinds[i]) + 5;
    return false;
}

static bool is_number(const char *name)
{
    size_t digits = strspn(name, "0123456789");
    return digits > 0 && digits < sizeof((struct load_place *)0)->sub && name[digits] == '\0';
}

int source_open_sub(const struct load_source *source, const char *sub)
{
    int fd = openat(source->fd, sub[0] == '\0' ? "." : sub,
                    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

static int open_parent(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        return open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    char *parent = strndup(path, slash == path ? 1 : (size_t)(slash - path));
    if (parent == NULL)
        return -1;
    int fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(parent);
    return fd;
}

int source_open(const char *path, struct load_source *source)
{
    const char *slash = strrchr(path, '/');
    const char *name = NULL;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 && errno == ENOTDIR) {
        name = slash == NULL ? path : slash + 1;
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

void source_close(struct load_source *source)
{
    close(source->fd);
}

static int walk_sub(const struct load_source *source, const char *sub,
                    const struct load_visitor *visitor);

static int walk_entry(const struct load_source *source, const char *sub, int dir_fd,
                      const char *name, const struct load_visitor *visitor)
{
    if (is_record_name(name)) {
        struct load_place place;
        strcpy(place.sub, sub);
        strcpy(place.name, name);
        return visitor->visit(visitor->context, dir_fd, &place);
    }
    return sub[0] == '\0' && is_number(name) ? walk_sub(source, name, visitor) : 0;
}

static int walk_open(const struct load_source *source, const char *sub, DIR *dir,
                     const struct load_visitor *visitor)
{
    int outcome = 0;
    while (outcome == 0) {
        errno = 0;
        const struct dirent *entry = readdir(dir);
        if (entry == NULL)
            return -errno;
        outcome = walk_entry(source, sub, dirfd(dir), entry->d_name, visitor);
    }
    return outcome;
}

static int walk_sub(const struct load_source *source, const char *sub,
                    const struct load_visitor *visitor)
{
    int fd = source_open_sub(source, sub);
    if (fd == -ENOTDIR)
        return 0; /* a file with a number for a name */
    if (fd < 0) {
        visitor->unreadable(visitor->context, sub, -fd);
        return 0;
    }
    DIR *dir = fdopendir(fd);
    if (dir == NULL) {
        close(fd);
        return -ENOMEM;
    }
    int outcome = walk_open(source, sub, dir, visitor);
    closedir(dir);
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
    int fd = source_open_sub(source, place->sub);
    if (fd < 0)
        return fd;
    int error = unlinkat(fd, place->name, 0) == 0 || errno == ENOENT ? 0 : -errno;
    close(fd);
    return error;
}
