/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "directory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

int directory_make(const char *path, mode_t mode)
{
    char text[PATH_MAX];
    if (strlen(path) >= sizeof text)
        return -ENAMETOOLONG;
    strcpy(text, path);
    for (char *slash = text; (slash = strchr(slash + 1, '/')) != NULL; *slash = '/') {
        *slash = '\0';
        if (mkdir(text, 0755) != 0 && errno != EEXIST)
            return -errno;
    }
    if (mkdir(text, mode) != 0 && errno != EEXIST)
        return -errno;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}
