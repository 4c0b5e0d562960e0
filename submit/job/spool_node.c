/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/job/spool_node.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/directory.h"
#include "preload/ledger.h"
#include "spank/spool_part.h"
#include "spank/spool_path.h"

/* Files of the watcher and of the plugin, which a spool without jobs may have. */
static const char *const kept[] = {LEDGER_WAKE, SPOOL_WATCH_LOCK, SPOOL_RESERVE_NAME, SPOOL_MOUNTED,
                                   VERSION_NOTE};

enum { KEPT = sizeof kept / sizeof *kept };

static bool is_kept(const char *name)
{
    bool is_found = false;
    for (int i = 0; i < KEPT; i++)
        is_found |= strcmp(name, kept[i]) == 0;
    return is_found;
}

/* Whether there is nothing of a job in it. */
static bool has_no_jobs(int directory)
{
    CLEANUP_LISTING DIR *listing = NULL;
    bool is_empty = listing_open(directory, ".", &listing) == 0;
    for (const char *name; (name = listing_next(listing)) != NULL;)
        is_empty &= is_kept(name);
    return is_empty;
}

/* Whether it is on the file system of the directory above it, and that one is in memory. */
static bool shares_memory(int directory)
{
    struct stat own, above;
    struct statfs kind;
    return fstat(directory, &own) == 0 &&
           fstatat(directory, "..", &above, AT_SYMLINK_NOFOLLOW) == 0 &&
           own.st_dev == above.st_dev && fstatfs(directory, &kind) == 0 &&
           kind.f_type == TMPFS_MAGIC;
}

/* Removes the files that a mount would hide, unless a watcher runs. Returns whether none runs. */
static bool remove_kept(int directory)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    CLEANUP_CLOSE int lock = openat(directory, SPOOL_WATCH_LOCK, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    bool is_free = lock < 0 ? errno == ENOENT : fcntl(lock, F_SETLK, &whole) == 0;
    for (int i = 0; is_free && i < KEPT; i++)
        unlinkat(directory, kept[i], 0);
    return is_free;
}

/* Mounts a file system of its own; the note of it is written first, as for a job's. */
static bool mount_over(int directory, const char *path)
{
    return has_no_jobs(directory) && remove_kept(directory) && spool_part_note(directory) == 0 &&
           mount("jobtrail", path, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC,
                 "size=10%,mode=0711") == 0;
}

int spool_node_make(const char *path, bool may_mount)
{
    int directory = directory_make(path, 0711);
    if (directory < 0)
        return directory;
    if (!may_mount || !shares_memory(directory) || !mount_over(directory, path)) {
        unlinkat(directory, SPOOL_MOUNTED, 0); /* of an earlier mount */
        return directory;
    }
    close(directory);
    return directory_make(path, 0711);
}
