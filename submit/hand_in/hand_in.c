/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/hand_in/hand_in.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/io.h"
#include "submit/hand_in/hand_in_read.h"
#include "submit/job/session.h"

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

/* <sessions>/<uid>/records, made where it is missing. Returns a descriptor or -errno. */
static int open_records(const char *sessions)
{
    CLEANUP_CLOSE int user = session_open_user(sessions);
    return user < 0 ? user : session_open_own(user, HAND_IN_RECORDS);
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
    if (geteuid() == 0)
        return put_in_outbox(conf, record);
    if (conf->sessions[0] == '\0')
        return -ENOENT;
    CLEANUP_CLOSE int directory = open_records(conf->sessions);
    return directory < 0 ? directory : write_whole(directory, record);
}
