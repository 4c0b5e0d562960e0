/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/parse/load_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/io.h"

/* What an access list gives to others shows in the bits of the group. */
static bool is_closed(const struct stat *facts)
{
    return (facts->st_uid == 0 || facts->st_uid == geteuid()) &&
           (facts->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool load_directory_is_closed(int fd)
{
    struct stat facts;
    return fstat(fd, &facts) == 0 && is_closed(&facts);
}

static int open_regular(int dir_fd, const char *name, size_t *size, bool *closed,
                        struct load_reason *reason)
{
    int fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return -ENOENT;
    if (fd < 0 && errno == ELOOP)
        return load_refuse(reason, "is a symbolic link");
    if (fd < 0)
        return load_refuse(reason, "cannot be opened: %s", strerror(errno));

    struct stat facts;
    int error = 0;
    if (fstat(fd, &facts) != 0)
        error = load_refuse(reason, "cannot be read: %s", strerror(errno));
    else if (!S_ISREG(facts.st_mode))
        error = load_refuse(reason, "is not a regular file");
    else if (facts.st_size > (off_t)LOAD_TEXT_MAX_BYTES)
        error = load_refuse(reason, "is larger than %u bytes", LOAD_TEXT_MAX_BYTES);
    if (error != 0) {
        close(fd);
        return error;
    }
    *size = (size_t)facts.st_size;
    *closed = is_closed(&facts) && load_directory_is_closed(dir_fd);
    return fd;
}

int load_text(int dir_fd, const char *name, char **text, size_t *size, bool *closed,
              struct load_reason *reason)
{
    size_t expected = 0;
    CLEANUP_CLOSE int fd = open_regular(dir_fd, name, &expected, closed, reason);
    if (fd < 0)
        return fd;
    char *buffer = malloc(expected + 1);
    if (buffer == NULL)
        return -ENOMEM;
    /* A file that is shorter now than fstat(2) said fails as JSON later. */
    ssize_t got = io_read(fd, buffer, expected);
    if (got < 0) {
        free(buffer);
        return load_refuse(reason, "cannot be read: %s", strerror((int)-got));
    }
    buffer[got] = '\0';
    *text = buffer;
    *size = (size_t)got;
    return 0;
}
