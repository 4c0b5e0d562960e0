/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/caller.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/cleanup.h"

/* A row of /proc/self/uid_map (user_namespaces(7)): `count` uids from `inside` on are those from
 * `outside` on in the namespace above. */
struct uid_range {
    unsigned inside, outside, count;
};

/* The row that has the effective user; one row for all uids where there is none. */
static struct uid_range own_range(void)
{
    struct uid_range row;
    unsigned uid = geteuid();
    CLEANUP_FCLOSE FILE *map = fopen("/proc/self/uid_map", "re");
    while (map != NULL && fscanf(map, "%u %u %u", &row.inside, &row.outside, &row.count) == 3)
        if (uid >= row.inside && uid - row.inside < row.count)
            return row;
    return (struct uid_range){0, 0, ~0u};
}

bool caller_is_root(void)
{
    return geteuid() == 0 && own_range().count > 1;
}

uid_t caller_uid(void)
{
    struct uid_range row = own_range();
    return row.outside + (geteuid() - row.inside);
}

/* The kernel's number for the user namespace that all others descend from is fixed
 * (PROC_USER_INIT_INO). */
bool caller_in_user_namespace(void)
{
    char name[64] = "";
    ssize_t length = readlink("/proc/self/ns/user", name, sizeof name - 1);
    return length > 0 && strcmp(name, "user:[4026531837]") != 0;
}
