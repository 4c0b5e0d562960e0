/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/scan/library_walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/stat.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/directory.h"
#include "conf/base/grow.h"
#include "submit/facts/file_hash.h"

#define OPEN_DIRECTORY (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)

/* Each level may have so much. */
enum { LEVEL_BYTES_MIN = 64 << 10 };

struct walk_name {
    size_t at; /* in `names` */
    unsigned char type;
};

/* Of a directory: names that come behind `after`, and before `limit` where there are more. */
struct level {
    char *names; /* owned */
    size_t names_size, names_room;
    struct walk_name *name; /* owned */
    size_t count, room;
    char *after, *limit; /* owned; NULL: from the first one on, to the last one */
};

struct walking {
    const struct library_walk *walk;
    char *key; /* owned */
    size_t size, room;
    unsigned depth;
    size_t held;     /* bytes of the levels above */
    bool is_private; /* others cannot pass a directory on the way here */
};

void library_key(const char *path, size_t size, char *key)
{
    for (size_t i = 0; i < size; i++)
        key[i] = path[i] == '/' ? '\0' : path[i];
}

void library_path(const char *key, size_t size, char *path)
{
    for (size_t i = 0; i < size; i++)
        path[i] = key[i] == '\0' ? '/' : key[i];
    path[size] = '\0';
}

/* ---- Names of a directory, sorted ------------------------------------------------------------ */

static void free_level(struct level *level)
{
    free(level->names);
    free(level->name);
    free(level->after);
    free(level->limit);
}

#define CLEANUP_LEVEL __attribute__((cleanup(free_level)))

static bool is_library(const struct library_walk *walk, const char *name)
{
    return globs_match(walk->patterns, name) && !globs_match(walk->except, name);
}

/* Directories, and files of the patterns; of others there is nothing to know. */
static bool is_wanted(const struct library_walk *walk, const struct dirent *entry)
{
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
        return false;
    if (entry->d_type == DT_REG)
        return is_library(walk, entry->d_name);
    return entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN;
}

static int add_name(struct level *level, const char *name, unsigned char type)
{
    size_t length = strlen(name) + 1;
    if (GROW_TO(level->names, level->names_room, level->names_size + length) != 0 ||
        GROW_TO(level->name, level->room, level->count + 1) != 0)
        return -ENOMEM;
    memcpy(level->names + level->names_size, name, length);
    level->name[level->count++] = (struct walk_name){level->names_size, type};
    level->names_size += length;
    return 0;
}

static int by_name(const void *a, const void *b, void *names)
{
    const struct walk_name *one = a, *other = b;
    return strcmp((const char *)names + one->at, (const char *)names + other->at);
}

static void sort_level(struct level *level)
{
    if (level->count > 1)
        qsort_r(level->name, level->count, sizeof *level->name, by_name, level->names);
}

/* Drops the half of the names that come last. */
static int cut_level(struct level *level)
{
    struct level kept = {.names = NULL};
    int error = 0;
    sort_level(level);
    free(level->limit);
    level->limit = strdup(level->names + level->name[level->count / 2].at);
    for (size_t i = 0; i < level->count / 2 && error == 0; i++)
        error = add_name(&kept, level->names + level->name[i].at, level->name[i].type);
    kept.after = level->after;
    kept.limit = level->limit;
    free(level->names);
    free(level->name);
    *level = kept;
    return level->limit == NULL ? -ENOMEM : error;
}

/* The names that come next, sorted. */
static int read_level(const struct walking *walking, DIR *listing, struct level *level)
{
    const struct dirent *entry;
    /* What the next level may take: vectors grow to twice of what they hold. */
    size_t all = walking->walk->bytes == 0 ? LIBRARY_WALK_BYTES : walking->walk->bytes;
    size_t left = walking->held < all ? (all - walking->held) / 4 : 0;
    size_t most = left > LEVEL_BYTES_MIN || walking->walk->bytes != 0 ? left : LEVEL_BYTES_MIN;
    level->count = level->names_size = 0;
    free(level->limit);
    level->limit = NULL;
    while ((errno = 0, entry = readdir(listing)) != NULL) {
        const char *name = entry->d_name;
        int error = 0;
        if (!is_wanted(walking->walk, entry) ||
            (level->after != NULL && strcmp(name, level->after) <= 0) ||
            (level->limit != NULL && strcmp(name, level->limit) >= 0))
            continue;
        error = add_name(level, name, entry->d_type);
        if (error == 0 && level->count > 1 &&
            level->names_size + level->count * sizeof *level->name > most)
            error = cut_level(level);
        if (error != 0)
            return error;
    }
    if (errno != 0)
        return -errno;
    sort_level(level);
    return 0;
}

/* ---- The walk -------------------------------------------------------------------------------- */

static int open_directory(int at, const char *name)
{
    /* only the owner and root may leave the time of last access alone */
    int fd = openat(at, name, OPEN_DIRECTORY | O_NOATIME);
    if (fd < 0 && errno == EPERM)
        fd = openat(at, name, OPEN_DIRECTORY);
    return fd < 0 ? -errno : fd;
}

static int append_name(struct walking *walking, const char *name)
{
    size_t length = strlen(name);
    if (GROW_TO(walking->key, walking->room, walking->size + length + 1) != 0)
        return -ENOMEM;
    walking->key[walking->size] = '\0';
    memcpy(walking->key + walking->size + 1, name, length);
    walking->size += length + 1;
    return 0;
}

/* `error` of an object at the key, or of the walk itself. */
static int pass_over(struct walking *walking, int error)
{
    if (error == -ENOMEM)
        return error;
    /* it has just been removed, or is a link or a file now */
    if (error == -ENOENT || error == -ENOTDIR || error == -ELOOP)
        return 0;
    return walking->walk->unreadable(walking->walk->context, walking->key, walking->size, error);
}

/* Notes who can pass, and whether another file system or mounted directory begins here. */
static int ask_root(struct walking *walking, int fd, uint64_t *device, size_t *place)
{
    struct statx facts;
    if (statx(fd, "", AT_EMPTY_PATH, STATX_INO | STATX_MODE | STATX_UID, &facts) != 0)
        return -errno;
    walking->is_private |= (facts.stx_mode & S_IXOTH) == 0;
    uint64_t own = makedev(facts.stx_dev_major, facts.stx_dev_minor);
    if (own == *device && (facts.stx_attributes & STATX_ATTR_MOUNT_ROOT) == 0)
        return 0;
    *device = own;
    struct library_root root = {walking->key,  walking->size,       own,
                                facts.stx_ino, walking->depth == 0, facts.stx_uid};
    return walking->walk->root(walking->walk->context, &root, place);
}

static int walk_names(struct walking *walking, int fd, const struct level *level, uint64_t device,
                      size_t place);

/* What is in the directory, in as many parts as its names need. */
static int walk_listing(struct walking *walking, DIR *listing, uint64_t device, size_t place)
{
    CLEANUP_LEVEL struct level level = {.names = NULL};
    int error;
    do {
        error = read_level(walking, listing, &level);
        if (error != 0)
            return pass_over(walking, error);
        size_t bytes = level.names_room + level.room * sizeof *level.name;
        walking->depth++;
        walking->held += bytes;
        error = walk_names(walking, dirfd(listing), &level, device, place);
        walking->held -= bytes;
        walking->depth--;
        free(level.after);
        level.after =
            level.limit == NULL ? NULL : strdup(level.names + level.name[level.count - 1].at);
        if (level.after != NULL)
            rewinddir(listing);
        else if (level.limit != NULL && error == 0)
            error = -ENOMEM;
    } while (error == 0 && level.after != NULL);
    return error;
}

/* Takes the descriptor over. */
static int walk_directory(struct walking *walking, int fd, uint64_t device, size_t place)
{
    CLEANUP_LISTING DIR *listing = NULL;
    if (walking->depth >= LIBRARY_WALK_DEPTH) {
        close(fd);
        walking->walk->too_deep(walking->walk->context);
        return 0;
    }
    bool was_private = walking->is_private;
    int error = ask_root(walking, fd, &device, &place);
    int failed =
        error == 0 && walking->walk->directory != NULL
            ? walking->walk->directory(walking->walk->context, fd, walking->key, walking->size)
            : 0;
    if (failed != 0) {
        close(fd);
        return failed;
    }
    if (error == 0)
        error = listing_take(fd, &listing);
    else
        close(fd);
    if (error == 0)
        error = walk_listing(walking, listing, device, place);
    else
        error = pass_over(walking, error);
    walking->is_private = was_private;
    return error;
}

static int walk_file(struct walking *walking, int fd, const char *name, size_t place)
{
    struct stat status;
    if (fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return pass_over(walking, -errno);
    struct library_seen seen = {fd,      name,  walking->key,       walking->size,
                                &status, place, walking->is_private};
    return S_ISREG(status.st_mode) ? walking->walk->file(walking->walk->context, &seen) : 0;
}

/* File systems that do not tell the type: a look at it does. */
static unsigned char type_of(int fd, const struct library_walk *walk, const char *name,
                             unsigned char type)
{
    struct stat status;
    if (type != DT_UNKNOWN)
        return type;
    if (fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode))
        return DT_DIR;
    return is_library(walk, name) ? DT_REG : DT_UNKNOWN;
}

static int walk_one(struct walking *walking, int fd, const char *name, unsigned char type,
                    uint64_t device, size_t place)
{
    const struct library_walk *walk = walking->walk;
    if (walk->looks != NULL && !walk->looks(walk->context, walking->key, walking->size))
        return pass_over(walking, -ETIMEDOUT);
    type = type_of(fd, walk, name, type);
    if (type == DT_REG)
        return walk_file(walking, fd, name, place);
    if (type != DT_DIR)
        return 0;
    /* the directory that was looked at is the one that is opened, whatever is mounted meanwhile */
    CLEANUP_CLOSE int found = openat(fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (found < 0)
        return pass_over(walking, -errno);
    if (mount_is_users(found))
        return pass_over(walking, -EXDEV);
    int below = open_directory(found, ".");
    return below < 0 ? pass_over(walking, below) : walk_directory(walking, below, device, place);
}

static int walk_names(struct walking *walking, int fd, const struct level *level, uint64_t device,
                      size_t place)
{
    size_t size = walking->size;
    int error = 0;
    for (size_t i = 0; i < level->count && error == 0; i++) {
        const char *name = level->names + level->name[i].at;
        if (size + strlen("/") + strlen(name) >= PATH_MAX) {
            walking->walk->too_deep(walking->walk->context);
            continue;
        }
        error = append_name(walking, name);
        if (error == 0)
            error = walk_one(walking, fd, name, level->name[i].type, device, place);
        walking->size = size;
    }
    return error;
}

/* Opens the directory of an absolute path, part by part: no link is followed. */
static int open_tree(const char *tree)
{
    CLEANUP_FREE char *parts = strdup(tree);
    char *rest = NULL;
    int fd = parts == NULL ? -ENOMEM : open_directory(AT_FDCWD, "/");
    for (char *part = parts == NULL ? NULL : strtok_r(parts, "/", &rest); part != NULL && fd >= 0;
         part = strtok_r(NULL, "/", &rest)) {
        int below = open_directory(fd, part);
        close(fd);
        fd = below;
    }
    return fd;
}

int library_walk(const struct library_walk *walk, const char *tree)
{
    struct walking walking = {.walk = walk, .size = strlen(tree)};
    int fd = open_tree(tree);
    if (fd < 0)
        return fd;
    int error = GROW_TO(walking.key, walking.room, walking.size + 1);
    if (error != 0) {
        close(fd);
        return error;
    }
    library_key(tree, walking.size, walking.key);
    error = walk_directory(&walking, fd, UINT64_MAX, 0);
    free(walking.key);
    return error;
}
