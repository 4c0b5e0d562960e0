/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include "conf/base/io.h"
#include "conf/command/doctor_checks.h"
#include "submit/job/broken_flushes.h"

/* Reads the file that counts flushes broken down in a row. Returns whether there is one that is
 * valid. */
static bool read_row(const char *path, unsigned long *count, time_t *last)
{
    char text[BROKEN_FLUSHES_BYTES];
    long long seconds;
    io_read_text(AT_FDCWD, path, text, sizeof text);
    if (sscanf(text, "%lu %lld", count, &seconds) != 2)
        return false;
    *last = (time_t)seconds;
    return *count > 0;
}

void doctor_flush(struct doctor *doctor, const struct conf *conf)
{
    char path[PATH_MAX + 32], when[64];
    unsigned long count;
    time_t last;
    snprintf(path, sizeof path, "%s/" BROKEN_FLUSHES, conf->state);
    if (!read_row(path, &count, &last))
        return;
    doctor_time_text(last, when, sizeof when);
    if (count < BROKEN_FLUSHES_MANY)
        doctor_add(doctor, FINDING_WARN, "flush", path,
                   "read the file 'reason' of the last ones in the quarantine",
                   "it broke down for the last %lu job%s, last at %s", count, count == 1 ? "" : "s",
                   when);
    else
        doctor_add(doctor, FINDING_BAD, "flush", path,
                   "no job is to blame for that many: see syslog, and whether the libraries that "
                   "jobtrail-submit uses (ldd) were replaced since it was built",
                   "it broke down for the last %lu jobs, last at %s: they have no records, and are "
                   "in the quarantine",
                   count, when);
}
