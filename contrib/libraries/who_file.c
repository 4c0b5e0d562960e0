/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/who_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/replacement.h"

#define WHO_FILE "whos"

int who_file_write(int state, const struct library_whos *whos)
{
    CLEANUP_CLOSE int fd = replacement_open(state, WHO_FILE);
    return fd < 0 ? fd : replacement_end(state, WHO_FILE, fd, 0600, library_whos_write(whos, fd));
}

int who_file_read(int state, struct library_whos **whos)
{
    CLEANUP_CLOSE int fd = openat(state, WHO_FILE, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    return fd < 0 ? -errno : library_whos_read(fd, whos);
}

int who_file_remove(int state)
{
    return unlinkat(state, WHO_FILE, 0) == 0 || errno == ENOENT ? 0 : -errno;
}
