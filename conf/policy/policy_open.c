/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/policy/policy_open.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "conf/base/cleanup.h"
#include "conf/base/io.h"
#include "conf/base/trusted.h"
#include "conf/policy/policy_read.h"

int policy_open(const char *path, struct stat *status, void **policy)
{
    char culprit[PATH_MAX];
    CLEANUP_CLOSE int fd = trusted_open(path, culprit, sizeof culprit);
    if (fd < 0)
        return fd;
    if (fstat(fd, status) != 0)
        return -errno;
    if (status->st_size <= 0 || status->st_size > POLICY_MAX_BYTES)
        return -EINVAL;
    const size_t size = (size_t)status->st_size;
    CLEANUP_FREE void *bytes = malloc(size);
    if (bytes == NULL)
        return -ENOMEM;
    if (io_read(fd, bytes, size) != (ssize_t)size || !policy_usable(bytes, size))
        return -EINVAL;
    *policy = bytes;
    bytes = NULL;
    return 0;
}
