/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "spank/ledger_make.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "contrib/hooks/packages.h"
#include "preload/ledger.h"

/* Room for some sixty small captures before a process has to allocate more. */
enum { BACKED_BYTES = 512 << 10 };

static void fill_ledger(void *head, uint64_t bytes, uint64_t backed)
{
    struct ledger_header *header = head;
    struct stat root;
    *header = (struct ledger_header){
        .magic = LEDGER_MAGIC,
        .size_bytes = bytes,
        .backed_bytes = backed,
        .used_bytes = LEDGER_FIRST,
    };
    if (stat("/", &root) != 0)
        return;
    header->root_device = root.st_dev;
    header->root_inode = root.st_ino;
}

/* The whole head is written, since a page that was only allocated costs each process a fault of its
 * own. */
static int fill_file(int fd, const struct spool_file *made, uid_t uid, gid_t gid)
{
    _Alignas(struct ledger_header) char head[LEDGER_HEAD] = {0};
    /* Processes map whole pages, which may be larger than the head. */
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE),
             least = page > made->head_bytes ? page : made->head_bytes;
    uint64_t backed = BACKED_BYTES < made->bytes ? BACKED_BYTES : made->bytes;
    if (least > made->bytes)
        least = made->bytes;
    if (ftruncate(fd, (off_t)made->bytes) != 0 || fallocate(fd, 0, 0, (off_t)least) != 0)
        return -errno;
    if (fallocate(fd, 0, 0, (off_t)backed) != 0)
        backed = made->head_bytes;
    made->fill(head, made->bytes, backed);
    if (pwrite(fd, head, made->head_bytes, 0) != (ssize_t)made->head_bytes)
        return -EIO;
    return fchown(fd, uid, gid) != 0 ? -errno : 0;
}

/* The daemons of two steps may do this at once, and a process must never see an incomplete file.
 * So each daemon makes it under its own name and renames it; only the first rename succeeds. */
int spool_make_file(int part, const struct spool_file *made, uid_t uid, gid_t gid)
{
    char name[32];
    struct stat status;
    if (fstatat(part, made->name, &status, AT_SYMLINK_NOFOLLOW) == 0)
        return status.st_uid == uid ? 0 : -EPERM;
    snprintf(name, sizeof name, "%s.%d", made->name, (int)getpid());
    unlinkat(part, name, 0);
    int fd = openat(part, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -errno;
    int error = fill_file(fd, made, uid, gid);
    close(fd);
    if (error == 0 && renameat2(part, name, part, made->name, RENAME_NOREPLACE) != 0 &&
        errno != EEXIST)
        error = -errno;
    unlinkat(part, name, 0);
    return error;
}

int spool_make_ledger(int part, uid_t uid, gid_t gid, uint64_t bytes)
{
    const struct spool_file made = {
        .name = "ledger", .bytes = bytes, .head_bytes = LEDGER_HEAD, .fill = fill_ledger};
    return spool_make_file(part, &made, uid, gid);
}

int spool_make_packages(int part, uid_t uid, gid_t gid)
{
    int fd =
        openat(part, PACKAGES_NAME, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return errno == EEXIST ? 0 : -errno;
    int error = fchown(fd, uid, gid) != 0 ? -errno : 0;
    close(fd);
    return error;
}
