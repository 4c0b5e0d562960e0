/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/job/user_name.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

int user_name_fill(struct journal *journal)
{
    struct passwd entry, *found = NULL;
    char text[4096];
    if (journal->user[0] != '\0' ||
        getpwuid_r(journal->uid, &entry, text, sizeof text, &found) != 0 || found == NULL)
        return 0;
    char *name = strdup(found->pw_name);
    if (name == NULL)
        return -ENOMEM;
    free(journal->user);
    journal->user = name;
    return 0;
}
