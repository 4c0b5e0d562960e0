/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/hand_in/link_send.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/caller.h"
#include "conf/base/cleanup.h"
#include "conf/base/clocks.h"
#include "conf/base/directory.h"
#include "conf/base/io.h"
#include "conf/conf_transport.h"
#include "submit/hand_in/hand_in_read.h"
#include "submit/job/session.h"
#include "submit/job/spool_read.h"
#include "submit/outbox/transport.h"

static int put_in_outbox(const struct conf *conf, const struct record_view *record)
{
    struct outbox *outbox;
    int error = outbox_open(conf, &outbox);
    if (error != 0)
        return error;
    error = outbox_add(outbox, record);
    if (error == 0)
        error = outbox_commit(outbox);
    outbox_close(outbox);
    return error;
}

static int write_whole(int directory, const struct record_view *record)
{
    char name[NAME_MAX + 1];
    int length = snprintf(name, sizeof name, ".%s.%d", record->name, (int)getpid());
    if (length < 0 || (size_t)length >= sizeof name)
        return -ENAMETOOLONG;
    int fd = openat(directory, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -errno;
    int error = io_write_all(fd, record->text, record->length);
    if (close(fd) != 0 && error == 0)
        error = -errno;
    if (error == 0 && renameat(directory, name, directory, record->name) != 0)
        error = -errno;
    if (error != 0)
        unlinkat(directory, name, 0);
    return error;
}

int hand_in(const struct conf *conf, const struct record_view *record)
{
    if (caller_is_root())
        return put_in_outbox(conf, record);
    if (conf->sessions[0] == '\0')
        return -ENOENT;
    CLEANUP_CLOSE int user = session_open_user(conf->sessions);
    CLEANUP_CLOSE int directory = user < 0 ? user : session_open_own(user, HAND_IN_RECORDS);
    return directory < 0 ? directory : write_whole(directory, record);
}

/* For the wrapper, which waits. */
enum { SEND_MS = 5000, FEW = 8 };

/* Nothing is synced: a linker does not sync what it has linked, either, and syncfs(2) would write
 * that and what others have written to the disk while the user waits. */
static int send_by_file(const struct conf *conf, const struct record_view *record)
{
    struct transport_trouble trouble;
    struct transport_item item = {.record = *record};
    void *state;
    int error = transport_file_unsynced.open(conf, &state, &trouble);
    if (error != 0)
        return error;
    error = transport_file_unsynced.send(state, &item, 1, clock_deadline(SEND_MS), &trouble);
    transport_file_unsynced.close(state);
    return item.outcome == TRANSPORT_ACCEPTED ? 0 : error != 0 ? error : -EIO;
}

/* A directory that the environment names. Root may have another user's HOME, where that user could
 * put links to any place. */
static bool is_usable(const char *path)
{
    struct stat facts;
    return path != NULL && path[0] == '/' &&
           (!caller_is_root() || stat(path, &facts) != 0 || facts.st_uid == 0);
}

/* The user's outbox: $XDG_STATE_HOME/jobtrail/outbox, or ~/.local/state/jobtrail/outbox. Its files
 * are whole records under their names. malloc'ed; NULL when there is no home or no memory. */
static char *link_outbox(void)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    char *path = NULL;
    int length = -1;
    if (is_usable(state))
        length = asprintf(&path, "%s/jobtrail/outbox", state);
    else if (is_usable(home))
        length = asprintf(&path, "%s/.local/state/jobtrail/outbox", home);
    return length < 0 ? NULL : path;
}

/* On its way to root, or to where the site's records are. */
static int send_on(const struct conf *conf, const struct record_view *record)
{
    if (strcmp(conf->transport, "none") == 0 ||
        (strcmp(conf->transport, "file") == 0 && send_by_file(conf, record) == 0))
        return 0;
    return hand_in(conf, record);
}

int link_send(const struct conf *conf, const struct built_record *record)
{
    const struct record_view sent = record_view_of(record);
    struct link_outbox_count count;
    if (send_on(conf, &sent) == 0) {
        link_send_waiting(conf, FEW, &count);
        return 0;
    }
    CLEANUP_FREE char *outbox = link_outbox();
    return outbox == NULL ? -ENOENT : transport_file_put(outbox, &sent);
}

/* Returns 0 when the record is on its way and its file is gone; 1 when it cannot be read; or -errno
 * when nobody takes it. */
static int send_file(const struct conf *conf, int outbox, const char *name)
{
    char *text;
    size_t size;
    int error = spool_read_file(outbox, name, OUTBOX_TEXT_MAX, &text, &size);
    if (error != 0)
        return 1;
    size -= size > 0 && text[size - 1] == '\n';
    const struct record_view record = record_view(name, text, size);
    error = send_on(conf, &record);
    free(text);
    return error == 0 && unlinkat(outbox, name, 0) != 0 && errno != ENOENT ? -errno : error;
}

/* The user's, if it is theirs: root may have another's HOME. Returns 0 and a listing, or NULL when
 * there is none of theirs, or -errno. */
static int open_outbox(DIR **listing)
{
    struct stat status;
    CLEANUP_FREE char *path = link_outbox();
    int fd = path == NULL ? -ENOENT : directory_open(AT_FDCWD, path);
    if (fd < 0)
        return fd == -ENOENT ? 0 : fd;
    if (fstat(fd, &status) == 0 && status.st_uid == geteuid())
        return listing_take(fd, listing);
    close(fd);
    return 0;
}

int link_send_waiting(const struct conf *conf, unsigned most, struct link_outbox_count *count)
{
    CLEANUP_LISTING DIR *listing = NULL;
    int error = open_outbox(&listing);
    const char *name;
    *count = (struct link_outbox_count){0, 0};
    while (count->sent + count->waiting < most && (name = listing_next(listing)) != NULL) {
        if (record_view(name, "", 0).kind != RECORD_LINK)
            continue;
        int one = error != 0 ? error : send_file(conf, dirfd(listing), name);
        if (one < 0)
            error = one;
        count->sent += one == 0;
        count->waiting += one != 0;
    }
    return error;
}
