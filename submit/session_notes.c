/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session_notes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "user_files.h"

/* Whether there is surely none. Nothing of the user's is asked but his directories. */
static int session_is_gone(int sessions, uid_t uid, const char *session)
{
    char name[16];
    snprintf(name, sizeof name, "%u", (unsigned)uid);
    int user = user_directory_open(sessions, name, uid);
    int directory = user < 0 ? user : user_directory_open(user, session, uid);
    if (user >= 0)
        close(user);
    if (directory >= 0)
        close(directory);
    return directory == -ENOENT;
}

void session_notes_clean(int notes, int sessions)
{
    int fd = openat(notes, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *listing = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *entry;
    if (listing == NULL && fd >= 0)
        close(fd);
    while (listing != NULL && (entry = readdir(listing)) != NULL) {
        char *session;
        unsigned long uid = strtoul(entry->d_name, &session, 10);
        if (session > entry->d_name && *session == '.' &&
            session_is_gone(sessions, (uid_t)uid, session + 1))
            unlinkat(notes, entry->d_name, 0);
    }
    if (listing != NULL)
        closedir(listing);
}
