/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ldwrap/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/cleanup.h"

enum { STEP_BYTES = 16 << 10 };

int whole_file_read(int fd, size_t limit, char **text, size_t *size)
{
    size_t used = 0, room = 0;
    CLEANUP_FREE char *bytes = NULL;
    for (;;) {
        if (room - used < 2) { /* one for the NUL */
            room = room == 0 ? STEP_BYTES : 2 * room;
            char *more = realloc(bytes, room);
            if (more == NULL)
                return -ENOMEM;
            bytes = more;
        }
        ssize_t got = pread(fd, bytes + used, room - used - 1, (off_t)used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -errno;
        used += (size_t)got;
        if (used > limit)
            return -EFBIG;
        if (got == 0)
            break;
    }
    bytes[used] = '\0';
    *text = bytes;
    *size = used;
    bytes = NULL;
    return 0;
}

int whole_file_open_read(const char *path, size_t limit, char **text, size_t *size)
{
    struct stat status;
    CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || fstat(fd, &status) != 0)
        return -errno;
    return S_ISREG(status.st_mode) ? whole_file_read(fd, limit, text, size) : -EINVAL;
}
