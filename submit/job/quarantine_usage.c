/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/job/quarantine_usage.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Calls `each` for the names in a directory but those that begin with a dot. Returns 0 or -errno.
 */
static int walk(int at, const char *path,
                void (*each)(void *context, int directory, const char *name), void *context)
{
    const struct dirent *entry;
    int fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    DIR *listing = fd < 0 ? NULL : fdopendir(fd);
    if (listing == NULL) {
        int result = -errno;
        if (fd >= 0)
            close(fd);
        return result;
    }
    while ((entry = readdir(listing)) != NULL)
        if (entry->d_name[0] != '.')
            each(context, dirfd(listing), entry->d_name);
    closedir(listing);
    return 0;
}

static void add_file(void *context, int directory, const char *name)
{
    uint64_t *bytes = context;
    struct stat status;
    if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0)
        *bytes += (uint64_t)status.st_blocks * 512;
}

static uid_t owner_of(int quarantine, const char *entry)
{
    char text[16] = "", *end = text;
    int directory = openat(quarantine, entry, O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    int fd =
        directory < 0 ? -1 : openat(directory, QUARANTINE_OWNER, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    unsigned long uid =
        fd < 0 || read(fd, text, sizeof text - 1) <= 0 ? 0 : strtoul(text, &end, 10);
    if (fd >= 0)
        close(fd);
    if (directory >= 0)
        close(directory);
    return end == text ? QUARANTINE_NOBODY : (uid_t)uid;
}

struct look {
    uid_t uid;
    const char *except;
    struct quarantine_usage *usage;
};

/* Not the transports' part, which is a directory too and has bounds of its own. */
static void add_entry(void *context, int quarantine, const char *name)
{
    const struct look *look = context;
    uint64_t bytes = 0;
    if (strcmp(name, "outbox") == 0 || strcmp(name, look->except) == 0 ||
        walk(quarantine, name, add_file, &bytes) != 0)
        return;
    int own = owner_of(quarantine, name) == look->uid;
    look->usage->bytes += bytes;
    look->usage->entries++;
    look->usage->user_bytes += own ? bytes : 0;
    look->usage->user_entries += own ? 1 : 0;
}

int quarantine_usage(int quarantine, uid_t uid, const char *except, struct quarantine_usage *usage)
{
    struct look look = {uid, except, usage};
    *usage = (struct quarantine_usage){0};
    return walk(quarantine, ".", add_entry, &look);
}
