/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Logs of the site to which users append lines by root's service: NAME.log in one directory, of the
 * form of library_log.h. Whoever is killed in between leaves a line that the next one ends.
 */
#ifndef JOBTRAIL_LINE_LOG_H
#define JOBTRAIL_LINE_LOG_H

#include <stdint.h>

#include "conf/base/globs.h"
#include "contrib/libraries/log_message.h"
#include "contrib/libraries/scan/library_logs.h"

/* Logs that are made because a user has written to them: no more. */
enum { LINE_LOGS_MAX = 1000 };

struct line_logs {
    struct library_logs logs;  /* where they are, and how large and how many they may be */
    const struct globs *names; /* of those that are made where they are missing */
};

/* Appends "DATE USER WORD..." to the log of this name of a file, made where it is missing. Of the
 * message, the words count. As below. */
int line_log_write(const struct library_logs *logs, const char *file,
                   const struct log_message *message, const char *user, int64_t now_s);

/* Appends the line of the message, whose name is good, at `now_s`, since the Epoch. Returns 0;
 * -ENOENT: there is no such log, and none is made; -EMSGSIZE; -EDQUOT: there are too many logs; or
 * another -errno, and the log is as it was. */
int line_log_append(const struct line_logs *logs, const struct log_message *message,
                    const char *user, int64_t now_s);

#endif
