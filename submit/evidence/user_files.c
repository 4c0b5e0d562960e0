/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/evidence/user_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/directory.h"
#include "conf/base/io.h"

/* Where the kernel has no openat2(), or a sandbox does not allow it, mounts are followed. */
static int open_below(int at, const char *name, int flags)
{
    const struct open_how how = {.flags = (unsigned)(flags | O_RDONLY | O_CLOEXEC | O_NOFOLLOW),
                                 .resolve =
                                     RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH};
    long fd = syscall(SYS_openat2, at, name, &how, sizeof how);
    if (fd < 0 && (errno == ENOSYS || errno == EPERM))
        fd = openat(at, name, (int)how.flags);
    return fd < 0 ? -errno : (int)fd;
}

int user_directory_open(int at, const char *name, uid_t uid)
{
    struct stat status;
    int fd = open_below(at, name, O_DIRECTORY);
    if (fd < 0)
        return fd;
    if (fstat(fd, &status) == 0 && status.st_uid == uid)
        return fd;
    close(fd);
    return -EPERM;
}

int user_file_open(int at, const char *name, uid_t uid)
{
    struct stat status;
    CLEANUP_CLOSE int place = open_below(at, name, O_PATH);
    if (place < 0)
        return place == -ELOOP ? -EINVAL : place; /* a symbolic link */
    int error = fstat(place, &status) != 0                         ? -errno
                : !S_ISREG(status.st_mode) || status.st_nlink != 1 ? -EINVAL
                : status.st_uid != uid                             ? -EPERM
                                                                   : 0;
    return error == 0 ? io_reopen_regular(place) : error;
}

/* ---- Root's notes of sessions ---------------------------------------------------------------- */

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
