/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "spank/spool_reserve.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "spank/spool_path.h"

enum { RESERVE_BYTES = 4 << 20, PART_OF_ALL = 16 };

static int open_reserve(int base, int flags)
{
    return openat(base, SPOOL_RESERVE_NAME, O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
}

void spool_reserve_fill(int base)
{
    struct statvfs all;
    struct stat status;
    if (fstatvfs(base, &all) != 0)
        return;
    fsblkcnt_t sixteenth = all.f_blocks / PART_OF_ALL * all.f_frsize;
    off_t wanted = sixteenth < RESERVE_BYTES ? (off_t)sixteenth : RESERVE_BYTES;
    int fd = wanted == 0 ? -1 : open_reserve(base, O_CREAT);
    if (fd < 0)
        return;
    if (fstat(fd, &status) == 0 && status.st_size < wanted && fallocate(fd, 0, 0, wanted) != 0)
        (void)!ftruncate(fd, status.st_size); /* gives back the part that it got */
    close(fd);
}

bool spool_reserve_take(int base)
{
    struct stat status;
    struct statvfs all;
    int fd = open_reserve(base, 0), taken = 0;
    if (fd < 0)
        return false;
    if (fstat(fd, &status) == 0 && status.st_size > 0 && fstatvfs(fd, &all) == 0) {
        off_t share = status.st_size / SPOOL_RESERVE_SHARES + 1;
        off_t left = status.st_size > share ? status.st_size - share : 0;
        off_t block = (off_t)all.f_frsize; /* of a file system in memory: a page of the kernel */
        taken = ftruncate(fd, left / block * block) == 0;
    }
    close(fd);
    return taken;
}
