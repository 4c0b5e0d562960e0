/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * jobtrail-libdate -f: hands a line to root's service (contrib/libraries/log_message.h).
 */
#ifndef JOBTRAIL_LIBDATE_SEND_H
#define JOBTRAIL_LIBDATE_SEND_H

#include <stdbool.h>
#include <stddef.h>

enum libdate_sent {
    LIBDATE_SENT = 0,
    LIBDATE_REFUSED = 1,  /* there is no such log, or the line is too long */
    LIBDATE_UNSENT = 3,   /* the service does not run, or cannot write */
    LIBDATE_LEFT_OUT = 4, /* this user has written too many lines */
};

/* `conf` is the path of jobtrail.conf, `log` a name with or without ".log", or its path. Says on
 * stderr what is wrong, unless `is_quiet`. Waits some seconds at the most. */
enum libdate_sent libdate_send(const char *conf, const char *log, char *const *words, size_t count,
                               bool is_quiet);

#endif
