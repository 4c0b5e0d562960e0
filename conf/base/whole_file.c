/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/grow.h"
#include "conf/base/io.h"

enum { STEP_BYTES = 16 << 10 };

/* One byte more than the file is said to have, so that its end is seen, and one for the NUL. A file
 * of /proc says 0. */
static size_t first_room(int fd, size_t limit)
{
    struct stat status;
    size_t size =
        fstat(fd, &status) == 0 && status.st_size > 0 ? (size_t)status.st_size : STEP_BYTES;
    return (size < limit ? size : limit) + 2;
}

int whole_file_read(int fd, size_t limit, char **text, size_t *size)
{
    size_t used = 0, room = 0, needed = first_room(fd, limit);
    CLEANUP_FREE char *bytes = NULL;
    do {
        if (GROW_TO(bytes, room, needed) != 0)
            return -ENOMEM;
        ssize_t got = io_read_at(fd, bytes + used, room - used - 1, (off_t)used);
        if (got < 0)
            return (int)got;
        used += (size_t)got;
        if (used > limit)
            return -EFBIG;
        needed = used + 2;
    } while (needed > room);
    bytes[used] = '\0';
    *text = bytes;
    *size = used;
    bytes = NULL;
    return 0;
}

int whole_file_take(int fd, size_t limit, char **text, size_t *size)
{
    struct stat status;
    CLEANUP_CLOSE int file = fd;
    if (file < 0)
        return file;
    if (fstat(file, &status) != 0)
        return -errno;
    return S_ISREG(status.st_mode) ? whole_file_read(file, limit, text, size) : -EINVAL;
}

int whole_file_open_read(const char *path, size_t limit, char **text, size_t *size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    return whole_file_take(fd < 0 ? -errno : fd, limit, text, size);
}
