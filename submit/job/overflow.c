/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/job/overflow.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/io.h"

int overflow_add(int directory, uint64_t more)
{
    char text[32] = "";
    CLEANUP_CLOSE int fd =
        openat(directory, OVERFLOW_NAME, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -errno;
    if (flock(fd, LOCK_EX) != 0 || pread(fd, text, sizeof text - 1, 0) < 0)
        return -errno;
    int length =
        snprintf(text, sizeof text, "%020" PRIu64 "\n", (uint64_t)strtoull(text, NULL, 10) + more);
    return pwrite(fd, text, (size_t)length, 0) == length ? 0 : -EIO;
}

uint64_t overflow_read(int directory)
{
    char text[32];
    io_read_text(directory, OVERFLOW_NAME, text, sizeof text);
    return strtoull(text, NULL, 10);
}
