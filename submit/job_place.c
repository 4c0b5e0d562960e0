/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "job_place.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "spool_read.h"

#define NAME     "flushed"
#define NEW_NAME "flushed.new"

enum { TEXT_MAX = 64 };

struct worker_place job_place_read(int directory)
{
    struct worker_place place = {0, 0};
    char *text;
    size_t size;
    if (spool_read_file(directory, NAME, TEXT_MAX, &text, &size) != 0)
        return place;
    if (sscanf(text, "%" SCNu64 " %" SCNu64, &place.unit, &place.records) != 2)
        place = (struct worker_place){0, 0};
    free(text);
    return place;
}

int64_t job_place_time(int spool, const char *job)
{
    struct stat status;
    char path[NAME_MAX + sizeof "/" NAME];
    snprintf(path, sizeof path, "%s/" NAME, job);
    if (fstatat(spool, path, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return 0;
    return (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
}

int job_place_note(int directory, const struct worker_place *place)
{
    int fd =
        openat(directory, NEW_NAME, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -errno;
    int result =
        dprintf(fd, "%" PRIu64 " %" PRIu64 "\n", place->unit, place->records) < 0 ? -EIO : 0;
    if (result == 0 && fsync(fd) != 0)
        result = -errno;
    close(fd);
    if (result == 0 &&
        (renameat(directory, NEW_NAME, directory, NAME) != 0 || fsync(directory) != 0))
        result = -errno;
    return result;
}
