/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/flush_breaks.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/io.h"
#include "submit/job/broken_flushes.h"

static unsigned long read_count(const char *path)
{
    char text[BROKEN_FLUSHES_BYTES];
    io_read_text(AT_FDCWD, path, text, sizeof text);
    unsigned long count = strtoul(text, NULL, 10);
    return count < ULONG_MAX ? count : 0;
}

/* A new file in the place of the old one: nobody reads half a line. */
static void write_count(const char *path, unsigned long count)
{
    char temporary[PATH_MAX + 64];
    snprintf(temporary, sizeof temporary, "%s.%d", path, (int)getpid());
    int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return;
    int written = dprintf(fd, "%lu %lld\n", count, (long long)time(NULL));
    close(fd);
    if (written < 0 || rename(temporary, path) != 0)
        unlink(temporary);
}

void flush_breaks_note(const struct conf *conf, enum flush_outcome outcome)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/" BROKEN_FLUSHES, conf->state);
    if (length < 0 || (size_t)length >= sizeof path)
        return;
    if (outcome == FLUSH_DONE)
        unlink(path);
    else if (outcome == FLUSH_BROKEN || outcome == FLUSH_KILLED || outcome == FLUSH_PASSED_OVER)
        write_count(path, read_count(path) + 1);
}
