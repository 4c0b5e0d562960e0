/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_FLUSH_BREAKS_H
#define JOBTRAIL_FLUSH_BREAKS_H

#include <time.h>

#include "conf/conf.h"
#include "submit/flush/flush_outcome.h"

struct flush_breaks {
    unsigned long count; /* in a row, up to now */
    time_t last;         /* when the last one was; 0: none was */
    time_t told;         /* when syslog got a line; 0: never, or more than an hour ago */
    int error;           /* -errno where the file is there and cannot be read */
};

/* What is noted of it. */
struct flush_breaks flush_breaks_read(const struct conf *conf);

/* Notes in the state directory (submit/job/broken_flushes.h) how the flush of a job ended:
 * FLUSH_BROKEN, FLUSH_KILLED and FLUSH_PASSED_OVER (the reader died, or did for a capture) are one
 * more in a row, FLUSH_DONE ends the row, all else changes nothing. Of jobs without a run
 * FLUSH_DONE is not noted. Flushes that end at the same moment may count as one. From
 * BROKEN_FLUSHES_MANY in a row on, syslog gets a line (facility daemon, priority err), one in an
 * hour at the most, also where flushes come through in between. Trouble with the file is not
 * reported: it would be the state directory's, which doctor looks at.
 */
void flush_breaks_note(const struct conf *conf, enum flush_outcome outcome);

#endif
