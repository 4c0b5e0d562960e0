/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/evidence/session_notes.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/directory.h"
#include "submit/evidence/user_files.h"

/* Whether the session surely has no directory. Of the user's files only directories are opened. */
static bool session_is_gone(int sessions, uid_t uid, const char *session)
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

/* Writes the session PID.TICKS that a note is of, from the rest of its name, to `name`. */
static const char *session_of(const char *note, char name[NAME_MAX + 1])
{
    size_t size = strspn(note, "0123456789.");
    size -= size > 0 && note[size] != '\0' && note[size - 1] == '.';
    snprintf(name, NAME_MAX + 1, "%.*s", (int)size, note);
    return name;
}

void session_notes_clean(int notes, int sessions)
{
    CLEANUP_LISTING DIR *listing = NULL;
    listing_open(notes, ".", &listing);
    for (const char *note; (note = listing_next(listing)) != NULL;) {
        char *session, name[NAME_MAX + 1];
        unsigned long uid = strtoul(note, &session, 10);
        if (session > note && *session == '.' &&
            session_is_gone(sessions, (uid_t)uid, session_of(session + 1, name)))
            unlinkat(notes, note, 0);
    }
}
