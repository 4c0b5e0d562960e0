/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/listing.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int listing_take(int fd, DIR **listing)
{
    *listing = fd < 0 ? NULL : fdopendir(fd);
    if (*listing != NULL)
        return 0;
    int error = fd < 0 ? fd : -errno;
    if (fd >= 0)
        close(fd);
    return error;
}

int listing_open(int at, const char *path, DIR **listing)
{
    int fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return listing_take(fd < 0 ? -errno : fd, listing);
}

const char *listing_next(DIR *listing)
{
    const struct dirent *entry = NULL;
    errno = 0;
    do
        entry = listing == NULL ? NULL : readdir(listing);
    while (entry != NULL && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0));
    return entry == NULL ? NULL : entry->d_name;
}
