/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/flush/profile_room.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/grow.h"
#include "conf/base/listing.h"

struct kept_name {
    char *name; /* owned */
    struct timespec made;
    uint64_t bytes;
};

/* A small file takes a block and an inode, too. */
static uint64_t taken_by(uint64_t bytes)
{
    enum { BLOCK = 4096 };
    return (bytes / BLOCK + 1) * BLOCK;
}

static int by_age(const void *left, const void *right)
{
    const struct kept_name *a = left, *b = right;
    if (a->made.tv_sec != b->made.tv_sec)
        return a->made.tv_sec < b->made.tv_sec ? -1 : 1;
    if (a->made.tv_nsec != b->made.tv_nsec)
        return a->made.tv_nsec < b->made.tv_nsec ? -1 : 1;
    return strcmp(a->name, b->name);
}

static int add(struct profile_room *room, const char *name, const struct stat *status)
{
    if (GROW(room->names, room->count) != 0)
        return -ENOMEM;
    struct kept_name one = {strdup(name), status->st_mtim, taken_by((uint64_t)status->st_size)};
    if (one.name == NULL)
        return -ENOMEM;
    room->names[room->count++] = one;
    room->bytes += one.bytes;
    return 0;
}

int profile_room_count(int place, uint64_t most, struct profile_room *room)
{
    CLEANUP_LISTING DIR *listing = NULL;
    *room = (struct profile_room){.place = place, .most = most};
    int error = listing_open(place, ".", &listing);
    for (const char *name; error == 0 && (name = listing_next(listing)) != NULL;) {
        struct stat status;
        if (fstatat(place, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode))
            error = add(room, name, &status);
    }
    if (room->count > 0)
        qsort(room->names, room->count, sizeof *room->names, by_age);
    return error;
}

void profile_room_free(struct profile_room *room)
{
    for (size_t i = 0; i < room->count; i++)
        free(room->names[i].name);
    free(room->names);
}

/* A flush that was killed may have made it before. */
static void forget(struct profile_room *room, const char *name)
{
    for (size_t i = room->next; i < room->count; i++)
        if (strcmp(room->names[i].name, name) == 0) {
            room->bytes -= room->names[i].bytes;
            room->names[i].bytes = 0;
            room->names[i].name[0] = '\0';
        }
}

int profile_room_make(struct profile_room *room, const char *name, uint64_t bytes)
{
    if (taken_by(bytes) > room->most)
        return -EFBIG;
    forget(room, name);
    while (room->next < room->count && room->bytes + taken_by(bytes) > room->most) {
        const struct kept_name *oldest = &room->names[room->next];
        if (oldest->name[0] != '\0' && unlinkat(room->place, oldest->name, 0) != 0 &&
            errno != ENOENT)
            return -errno;
        room->bytes -= oldest->bytes;
        room->next++;
    }
    if (room->bytes + taken_by(bytes) > room->most)
        return -EFBIG;
    room->bytes += taken_by(bytes);
    return 0;
}
