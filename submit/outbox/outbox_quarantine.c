/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/outbox/outbox_quarantine.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/directory.h"
#include "conf/base/replacement.h"
#include "submit/job/quarantine.h"

/* What the smallest file takes, on the disk or of the number of files that there may be. */
enum { FILE_BYTES = 4096 };

struct outbox_quarantine {
    const struct conf *conf;
    const char *transport;
    int directory; /* -1: not open yet */
    uint64_t used; /* bytes */
    uint64_t overflowed;
};

struct outbox_quarantine *outbox_quarantine_new(const struct conf *conf, const char *transport)
{
    struct outbox_quarantine *quarantine = malloc(sizeof *quarantine);
    if (quarantine != NULL)
        *quarantine =
            (struct outbox_quarantine){.conf = conf, .transport = transport, .directory = -1};
    return quarantine;
}

void outbox_quarantine_close(struct outbox_quarantine *quarantine)
{
    if (quarantine != NULL && quarantine->directory >= 0)
        close(quarantine->directory);
    free(quarantine);
}

uint64_t outbox_quarantine_overflowed(const struct outbox_quarantine *quarantine)
{
    return quarantine->overflowed;
}

static int path_of(const struct conf *conf, const char *transport, char path[PATH_MAX])
{
    int length = snprintf(path, PATH_MAX, "%s/quarantine/outbox/%s", conf->state, transport);
    return length < 0 || length >= PATH_MAX ? -ENAMETOOLONG : 0;
}

static uint64_t room_of(const struct stat *status)
{
    uint64_t bytes = (uint64_t)status->st_blocks * 512;
    return bytes < FILE_BYTES ? FILE_BYTES : bytes;
}

static uint64_t used_bytes(int directory)
{
    uint64_t used = 0;
    struct stat status;
    CLEANUP_LISTING DIR *listing = NULL;
    listing_open(directory, ".", &listing);
    for (const char *name; (name = listing_next(listing)) != NULL;)
        if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(status.st_mode))
            used += room_of(&status);
    return used;
}

static int open_directory(struct outbox_quarantine *quarantine)
{
    char path[PATH_MAX];
    if (quarantine->directory >= 0)
        return 0;
    int error = path_of(quarantine->conf, quarantine->transport, path);
    int directory = error != 0 ? error : directory_make(path, 0700);
    if (directory < 0)
        return directory;
    quarantine->directory = directory;
    quarantine->used = used_bytes(directory);
    return 0;
}

/* Returns 1; 0 where there is none and that is counted; or -errno. `bytes`: of the file that is to
 * come, whose reason is another. */
static int has_room(struct outbox_quarantine *quarantine, uint64_t bytes)
{
    int error = open_directory(quarantine);
    uint64_t whole = (bytes + FILE_BYTES - 1) / FILE_BYTES * FILE_BYTES + FILE_BYTES;
    if (error != 0)
        return error;
    if (quarantine->used + whole <= quarantine->conf->outbox_bytes) {
        quarantine->used += whole;
        return 1;
    }
    error = overflow_add(quarantine->directory, 1);
    quarantine->overflowed += error == 0;
    return error;
}

static int write_reason(const struct outbox_quarantine *quarantine, const char *name,
                        const char *reason)
{
    int error = set_aside_reason(quarantine->directory, name, SET_ASIDE_REPLACE, reason);
    return error == 0 && fsync(quarantine->directory) != 0 ? -errno : error;
}

int outbox_quarantine_keep(struct outbox_quarantine *quarantine, const char *name, const char *text,
                           size_t length, const char *reason)
{
    int room = has_room(quarantine, length + 1);
    if (room != 1)
        return room;
    const struct iovec parts[] = {{(void *)(uintptr_t)text, length}, {(void *)"\n", 1}};
    int error = set_aside_write(quarantine->directory, name, SET_ASIDE_REPLACE, parts, 2);
    return error == 0 ? write_reason(quarantine, name, reason) : error;
}

int outbox_quarantine_move(struct outbox_quarantine *quarantine, int from, const char *name,
                           const char *reason)
{
    struct stat status;
    if (fstatat(from, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return -errno;
    int room = has_room(quarantine, room_of(&status));
    if (room < 0)
        return room;
    if (room == 0)
        return unlinkat(from, name, 0) != 0 ? -errno : 0;
    int error = write_reason(quarantine, name, reason);
    if (error == 0 && (renameat(from, name, quarantine->directory, name) != 0 ||
                       fsync(quarantine->directory) != 0))
        error = -errno;
    return error;
}

uint64_t outbox_quarantine_overflow_read(const struct conf *conf, const char *transport)
{
    char path[PATH_MAX];
    CLEANUP_CLOSE int directory =
        path_of(conf, transport, path) != 0 ? -1 : directory_open(AT_FDCWD, path);
    return directory < 0 ? 0 : overflow_read(directory);
}
