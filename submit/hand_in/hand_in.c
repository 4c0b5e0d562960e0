/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/hand_in/hand_in.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "conf/base/io.h"
#include "submit/hand_in/hand_in_read.h"
#include "submit/job/session.h"

static int put_in_outbox(const struct conf *conf, const struct record_view *record)
{
    struct outbox *outbox;
    int result = outbox_open(conf, &outbox);
    if (result != 0)
        return result;
    result = outbox_add(outbox, record);
    if (result == 0)
        result = outbox_commit(outbox);
    outbox_close(outbox);
    return result;
}

/* <sessions>/<uid>/records, made where it is missing. Returns a descriptor or -errno. */
static int open_records(const char *sessions)
{
    int user = session_open_user(sessions);
    int records = user < 0 ? user : session_open_own(user, HAND_IN_RECORDS);
    if (user >= 0)
        close(user);
    return records;
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
    int result = io_write_all(fd, record->text, record->length);
    if (close(fd) != 0 && result == 0)
        result = -errno;
    if (result == 0 && renameat(directory, name, directory, record->name) != 0)
        result = -errno;
    if (result != 0)
        unlinkat(directory, name, 0);
    return result;
}

int hand_in(const struct conf *conf, const struct record_view *record)
{
    if (geteuid() == 0)
        return put_in_outbox(conf, record);
    if (conf->sessions[0] == '\0')
        return -ENOENT;
    int directory = open_records(conf->sessions);
    if (directory < 0)
        return directory;
    int result = write_whole(directory, record);
    close(directory);
    return result;
}
