/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_DIRECTORIES_H
#define JOBTRAIL_DIRECTORIES_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

/* Makes one directory, below the descriptor `at`; whatever the umask is, it gets this mode. One
 * that is there is left as it is. Returns 0 or -errno. */
static inline int directory_make_one(int at, const char *path, mode_t mode)
{
    if (mkdirat(at, path, mode) == 0)
        return fchmodat(at, path, mode, 0) != 0 ? -errno : 0;
    return errno == EEXIST ? 0 : -errno;
}

/* As mkdir -p; the last directory gets the mode `mode`, its parents 0755. Returns 0 or -errno. */
static inline int directory_make_all(const char *path, mode_t mode)
{
    char text[PATH_MAX];
    if (strlen(path) >= sizeof text)
        return -ENAMETOOLONG;
    strcpy(text, path);
    for (char *slash = text; (slash = strchr(slash + 1, '/')) != NULL; *slash = '/') {
        *slash = '\0';
        int result = directory_make_one(AT_FDCWD, text, 0755);
        if (result != 0)
            return result;
    }
    return directory_make_one(AT_FDCWD, text, mode);
}

#endif
