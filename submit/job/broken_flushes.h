/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The file BROKEN_FLUSHES in the state directory: of how many jobs in a row, up to now, the flush's
 * child broke down, when the last one did, and when syslog got a line about that last, as
 * "COUNT SECONDS SECONDS\n" in decimal, seconds since the Epoch, 0: never. When the last flush of a
 * job did not break down, COUNT is 0, or the file is not there. jobtrail-submit writes it,
 * jobtrail-conf doctor reads it.
 *
 * One job that breaks the flush is that job's doing, and lies in the quarantine; job after job is
 * a library or a kernel that does not do what it did when jobtrail was built.
 */
#pragma once

#include <stdbool.h>
#include <time.h>

#include "conf/conf.h"

#define BROKEN_FLUSHES "broken_flushes"

enum {
    BROKEN_FLUSHES_BYTES = 64, /* the file has fewer */
    BROKEN_FLUSHES_MANY = 3,   /* so many in a row are not caused by what is in a job */
};

struct broken_flushes {
    unsigned long count; /* in a row, up to now */
    time_t last;         /* when the last one was; 0: none was */
    time_t told;         /* when syslog got a line; 0: never, or more than an hour ago */
    int error;           /* -errno where the file is there and cannot be read */
};

struct broken_flushes broken_flushes_read(const struct conf *conf);

/* Notes how the flush of a job ended: one more in a row that broke down, or the end of the row.
 * Flushes that end at the same moment may count as one. From BROKEN_FLUSHES_MANY in a row on,
 * syslog gets a line (facility daemon, priority err), one in an hour at the most, also where
 * flushes come through in between. Trouble with the file is not reported: it would be the state
 * directory's, which doctor looks at. */
void broken_flushes_note(const struct conf *conf, bool is_broken);
