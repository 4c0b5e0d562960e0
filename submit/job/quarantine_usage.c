/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/job/quarantine_usage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/directory.h"
#include "conf/base/io.h"
#include "conf/base/listing.h"

/* Calls `each` for the names in a directory, except for those that begin with a dot. Returns 0 or
 * -errno. */
static int for_each_name(int at, const char *path,
                         void (*each)(void *context, int directory, const char *name),
                         void *context)
{
    CLEANUP_LISTING DIR *listing = NULL;
    int error = listing_take(directory_open(at, path), &listing);
    for (const char *name; (name = listing_next(listing)) != NULL;)
        if (name[0] != '.')
            each(context, dirfd(listing), name);
    return error;
}

static void add_file_bytes(void *context, int directory, const char *name)
{
    uint64_t *bytes = context;
    struct stat status;
    if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0)
        *bytes += (uint64_t)status.st_blocks * 512;
}

static uid_t owner_of(int quarantine, const char *entry)
{
    char text[16], *end;
    int directory = openat(quarantine, entry, O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    io_read_text(directory, QUARANTINE_OWNER, text, sizeof text);
    unsigned long uid = strtoul(text, &end, 10);
    if (directory >= 0)
        close(directory);
    return end == text ? QUARANTINE_NOBODY : (uid_t)uid;
}

struct usage_count {
    uid_t uid;
    const char *except;
    struct quarantine_usage *usage;
};

/* "outbox" is the part of the transports, which has limits of its own. */
static void add_entry(void *context, int quarantine, const char *name)
{
    const struct usage_count *count = context;
    uint64_t bytes = 0;
    if (strcmp(name, "outbox") == 0 || strcmp(name, count->except) == 0 ||
        for_each_name(quarantine, name, add_file_bytes, &bytes) != 0)
        return;
    bool is_own = owner_of(quarantine, name) == count->uid;
    count->usage->bytes += bytes;
    count->usage->entries++;
    count->usage->user_bytes += is_own ? bytes : 0;
    count->usage->user_entries += is_own ? 1 : 0;
}

int quarantine_usage(int quarantine, uid_t uid, const char *except, struct quarantine_usage *usage)
{
    struct usage_count count = {uid, except, usage};
    *usage = (struct quarantine_usage){0};
    return for_each_name(quarantine, ".", add_entry, &count);
}
