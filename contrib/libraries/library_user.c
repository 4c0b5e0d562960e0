/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/library_user.h"

#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool is_plain(const char *name)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.@+-";
    size_t length = strlen(name);
    return length > 0 && length < LIBRARY_USER_SIZE && strspn(name, plain) == length &&
           strspn(name, "0123456789") < length && strcmp(name, "unknown") != 0;
}

void library_user_name(uint32_t uid, char name[LIBRARY_USER_SIZE])
{
    char room[16384];
    struct passwd entry, *found = NULL;
    if (getpwuid_r(uid, &entry, room, sizeof room, &found) == 0 && found != NULL &&
        is_plain(found->pw_name))
        snprintf(name, LIBRARY_USER_SIZE, "%s", found->pw_name);
    else
        snprintf(name, LIBRARY_USER_SIZE, "%u", uid);
}
