/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/policy_load.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/trusted.h"
#include "conf/compile.h"
#include "conf/policy/policy_path.h"
#include "conf/policy/policy_read.h"

static int read_policy(const char *path, void **policy)
{
    struct stat status;
    char culprit[PATH_MAX];
    int result = -EINVAL;
    int fd = trusted_open(path, culprit, sizeof culprit);
    if (fd < 0)
        return fd;
    if (fstat(fd, &status) == 0 && status.st_size > 0 && status.st_size <= POLICY_MAX_BYTES) {
        size_t size = (size_t)status.st_size;
        void *bytes = malloc(size);
        result = bytes == NULL ? -ENOMEM : -EINVAL;
        if (bytes != NULL && read(fd, bytes, size) == (ssize_t)size && policy_usable(bytes, size)) {
            *policy = bytes;
            result = 0;
        } else {
            free(bytes);
        }
    }
    close(fd);
    return result;
}

int policy_load(const struct conf *conf, void **policy)
{
    char path[PATH_MAX];
    struct conf_error why;
    size_t size;
    if (policy_path(conf->path, path, sizeof path) && read_policy(path, policy) == 0)
        return 0;
    return compile_policy(conf, policy, &size, &why);
}
