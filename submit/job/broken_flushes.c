/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/job/broken_flushes.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <syslog.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/io.h"
#include "conf/base/replacement.h"

enum { TELL_EVERY_S = 3600 };

static int path_of(const struct conf *conf, char path[PATH_MAX])
{
    int length = snprintf(path, PATH_MAX, "%s/" BROKEN_FLUSHES, conf->state);
    return length < 0 || length >= PATH_MAX ? -ENAMETOOLONG : 0;
}

struct broken_flushes broken_flushes_read(const struct conf *conf)
{
    struct broken_flushes breaks = {.count = 0};
    char path[PATH_MAX], text[BROKEN_FLUSHES_BYTES];
    long long last = 0, told = 0;
    ssize_t length = path_of(conf, path);
    if (length == 0)
        length = io_read_text(AT_FDCWD, path, text, sizeof text);
    if (length <= 0) {
        breaks.error = length == -ENOENT ? 0 : (int)length;
        return breaks;
    }
    if (sscanf(text, "%lu %lld %lld", &breaks.count, &last, &told) < 1 || breaks.count == ULONG_MAX)
        breaks.count = 0;
    breaks.last = (time_t)last;
    breaks.told = (time_t)told;
    return breaks;
}

static void write_breaks(const char *path, const struct broken_flushes *breaks)
{
    CLEANUP_CLOSE int fd = replacement_open(AT_FDCWD, path);
    if (fd < 0)
        return;
    int written = dprintf(fd, "%lu %lld %lld\n", breaks->count, (long long)breaks->last,
                          (long long)breaks->told);
    replacement_end(AT_FDCWD, path, fd, 0600, written < 0 ? -EIO : 0);
}

void broken_flushes_note(const struct conf *conf, bool is_broken)
{
    char path[PATH_MAX];
    if (path_of(conf, path) != 0)
        return;
    struct broken_flushes breaks = broken_flushes_read(conf);
    time_t now = time(NULL);
    if (!is_broken) { /* when syslog got a line stays known for as long as no line may follow */
        if (breaks.told > now || now - breaks.told >= TELL_EVERY_S)
            unlink(path);
        else if (breaks.count > 0)
            write_breaks(path, &(struct broken_flushes){.told = breaks.told});
        return;
    }
    breaks.count++;
    breaks.last = now;
    /* The clock may have been set back since the last line. */
    if (breaks.count >= BROKEN_FLUSHES_MANY &&
        (breaks.told > breaks.last || breaks.last - breaks.told >= TELL_EVERY_S)) {
        breaks.told = breaks.last;
        openlog("jobtrail-submit", LOG_PID, LOG_DAEMON);
        syslog(LOG_ERR,
               "the flush broke down for the last %lu jobs: they have no records, and are in the "
               "quarantine in %s; see jobtrail-conf doctor",
               breaks.count, conf->state);
    }
    write_breaks(path, &breaks);
}
