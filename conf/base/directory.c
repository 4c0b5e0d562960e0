/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/directory.h"

#include "conf/base/directories.h"

int directory_make(const char *path, mode_t mode)
{
    int result = directory_make_all(path, mode);
    if (result != 0)
        return result;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}
