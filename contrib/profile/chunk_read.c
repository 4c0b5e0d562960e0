/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/chunk_read.h"

#include <errno.h>
#include <string.h>

#include "conf/base/io.h"
#include "preload/profile/profile_file.h"

int chunk_bytes(const struct chunk_source *source, uint64_t offset, void *to, size_t size)
{
    if (offset > source->end || source->end - offset < size)
        return -ENODATA;
    ssize_t got = io_read_at(source->fd, to, size, (off_t)offset);
    return got < 0 ? (int)got : (size_t)got < size ? -ENODATA : 0;
}

int chunk_take(struct chunk_source *source, uint64_t offset, uint64_t bytes)
{
    if (offset < PROFILE_PAGE || offset % PROFILE_PAGE != 0 || bytes % PROFILE_PAGE != 0 ||
        bytes == 0 || offset > source->end || source->end - offset < bytes)
        return -EINVAL;
    unsigned char *first = source->page_used + offset / PROFILE_PAGE;
    if (memchr(first, 1, bytes / PROFILE_PAGE) != NULL)
        return -EINVAL;
    memset(first, 1, bytes / PROFILE_PAGE);
    return 0;
}
