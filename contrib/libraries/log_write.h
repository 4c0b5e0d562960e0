/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Writing logs of the form of library_log.h. Whoever is killed in between leaves a line that the
 * next one ends.
 */
#ifndef JOBTRAIL_LOG_WRITE_H
#define JOBTRAIL_LOG_WRITE_H

#include <stdint.h>

#include "contrib/libraries/log_message.h"

enum { LIBRARY_LOG_NAME_SIZE = 256 };

/* Where logs are, and how large and how many of each there may be. */
struct library_logs {
    int directory; /* descriptor */
    uint64_t size_bytes;
    uint32_t files;
};

/* Opens the log of this name in the directory, made where it is missing. Returns a descriptor or
 * -errno: -EPERM where it is not this user's plain file. */
int library_log_open(const struct library_logs *logs, const char *name);

/* NAME becomes NAME.1, and so on up to the number of files that there may be. Returns 0 or -errno.
 */
int library_log_rotate(const struct library_logs *logs, const char *name);

/* Appends "DATE USER WORD..." to the log of this name of a file, made where it is missing, and
 * renamed before where it is full. Of the message, the words count. The date is that of `time_s`,
 * since the Epoch, or of the entry before where that is later. Returns 0; -EMSGSIZE; or another
 * -errno, and the log is as it was. */
int library_log_write(const struct library_logs *logs, const char *name,
                      const struct log_message *message, const char *user, int64_t time_s);

#endif
