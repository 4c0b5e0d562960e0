/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "credentials.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *credentials_path(void)
{
    const char *path = getenv("JOBTRAIL_CREDENTIALS");
    return path == NULL || path[0] == '\0' ? JOBTRAIL_SYSCONFDIR "/jobtrail/mariadb.cnf" : path;
}

int credentials_check(const char *path, char *trouble, size_t size)
{
    struct stat facts;
    if (stat(path, &facts) != 0) {
        if (errno == ENOENT)
            return 0;
        snprintf(trouble, size, "%s: %s", path, strerror(errno));
        return -EACCES;
    }
    if (facts.st_uid != 0 && facts.st_uid != geteuid()) {
        snprintf(trouble, size, "%s belongs to another user", path);
        return -EACCES;
    }
    if ((facts.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        snprintf(trouble, size, "%s may be read by others: chmod 600 it", path);
        return -EACCES;
    }
    return 1;
}
