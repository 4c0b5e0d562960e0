/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Records as files in one directory. A file appears whole: it is written under a name that begins
 * with a dot and renamed.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "directory.h"
#include "io.h"
#include "transport.h"

static int file_open(const struct conf *conf, void **state)
{
    int fd = directory_make(conf->file_dir, 0750);
    if (fd < 0)
        return fd;
    *state = (void *)(intptr_t)fd;
    return 0;
}

static int write_file(int directory, const char *name, const struct transport_record *record)
{
    int fd = openat(directory, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0640);
    if (fd < 0)
        return -errno;
    int result = io_write_all(fd, record->text, record->length);
    if (result == 0)
        result = io_write_all(fd, "\n", 1);
    if (close(fd) != 0 && result == 0)
        result = -errno;
    return result;
}

static int file_send(void *state, const struct transport_record *record)
{
    int directory = (int)(intptr_t)state;
    char name[NAME_MAX + 1];
    int length = snprintf(name, sizeof name, ".%s.%d", record->name, (int)getpid());
    if (length < 0 || (size_t)length >= sizeof name)
        return -ENAMETOOLONG;
    int result = write_file(directory, name, record);
    if (result == 0 && renameat(directory, name, directory, record->name) != 0)
        result = -errno;
    if (result != 0)
        unlinkat(directory, name, 0);
    return result;
}

static void file_close(void *state)
{
    close((int)(intptr_t)state);
}

const struct transport transport_file = {"file", file_open, file_send, file_close};
