/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/job/spool_node.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "conf/base/directory.h"
#include "conf/base/listing.h"
#include "preload/ledger.h"
#include "spank/spool_part.h"
#include "spank/spool_path.h"

/* What is in a spool without jobs that a watcher and a plugin have used. */
static const char *const kept[] = {LEDGER_WAKE, SPOOL_WATCH_LOCK, SPOOL_RESERVE_NAME,
                                   SPOOL_MOUNTED};

enum { KEPT = sizeof kept / sizeof *kept };

static int is_kept(const char *name)
{
    int found = 0;
    for (int i = 0; i < KEPT; i++)
        found |= strcmp(name, kept[i]) == 0;
    return found;
}

/* Whether no job has anything in it. */
static int is_empty(int directory)
{
    CLEANUP_LISTING DIR *listing = NULL;
    int empty = listing_open(directory, ".", &listing) == 0;
    for (const char *name; (name = listing_next(listing)) != NULL;)
        empty &= is_kept(name);
    return empty;
}

/* Whether it lies in the directory above, and that in memory. */
static int shares_memory(int directory)
{
    struct stat own, above;
    struct statfs kind;
    return fstat(directory, &own) == 0 &&
           fstatat(directory, "..", &above, AT_SYMLINK_NOFOLLOW) == 0 &&
           own.st_dev == above.st_dev && fstatfs(directory, &kind) == 0 &&
           kind.f_type == TMPFS_MAGIC;
}

/* What a mount would hide is removed; not as long as a watcher sleeps there. Returns whether it is.
 */
static int remove_kept(int directory)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int lock = openat(directory, SPOOL_WATCH_LOCK, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    int is_free = lock < 0 ? errno == ENOENT : fcntl(lock, F_SETLK, &whole) == 0;
    for (int i = 0; is_free && i < KEPT; i++)
        unlinkat(directory, kept[i], 0);
    if (lock >= 0)
        close(lock);
    return is_free;
}

/* Noted first, as each job's part is. */
static int mount_over(int directory, const char *path)
{
    return is_empty(directory) && remove_kept(directory) && spool_part_note(directory) == 0 &&
           mount("jobtrail", path, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC,
                 "size=10%,mode=0711") == 0;
}

int spool_node_make(const char *path, int may_mount)
{
    int directory = directory_make(path, 0711);
    if (directory < 0)
        return directory;
    if (!may_mount || !shares_memory(directory) || !mount_over(directory, path)) {
        unlinkat(directory, SPOOL_MOUNTED, 0); /* of a mount that is no more */
        return directory;
    }
    close(directory);
    return directory_make(path, 0711);
}
