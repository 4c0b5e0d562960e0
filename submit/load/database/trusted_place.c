/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/database/trusted_place.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/trusted.h"

/* For the message alone: what was decided stays. */
static void say_culprit(const char *culprit, char *trouble, size_t size)
{
    struct stat facts = {0};
    if (lstat(culprit, &facts) == 0 && S_ISLNK(facts.st_mode))
        snprintf(trouble, size, "root does not follow %s, which is another user's link", culprit);
    else if (facts.st_uid != 0)
        snprintf(trouble, size,
                 "root writes nothing below %s, which is user %u's: run this as that user", culprit,
                 (unsigned)facts.st_uid);
    else
        snprintf(trouble, size,
                 "root writes nothing below %s, which others can write to: chmod go-w it, or run "
                 "this as another user",
                 culprit);
}

int trusted_place(const char *path, char *trouble, size_t size)
{
    char culprit[PATH_MAX];
    int error = trusted_beside(path, culprit, sizeof culprit);
    if (error == -EPERM)
        say_culprit(culprit, trouble, size);
    return error;
}
