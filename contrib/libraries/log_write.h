/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Writes logs of the form of library_log.h. A line that a killed writer has left is ended by the
 * next one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Messages of users ----------------------------------------------------------------------- */

/* What jobtrail-libdate -f hands in, and the line that comes of it. A message is
 * LOG_MESSAGE_BEGIN, the log's name and a NUL, then the words, each with a NUL behind it. */

#define LOG_MESSAGE_BEGIN "jobtrail line 1\n"

enum {
    LOG_MESSAGE_MAX = 4096,
    LOG_NAME_SIZE = 65,
    LOG_LINE_SIZE = 513, /* with newline and NUL */
};

/* Whether a log can be called so: letters, digits and "._+-", 1 to 64, the first no dot or sign. */
int log_name_is_good(const char *name);

struct log_message {
    const char *name;
    const char *words; /* with a NUL behind each; `words_size` 0: none */
    size_t words_size;
    bool has_pairs; /* words are KEY=VALUE: in the line blanks in them are \x20. A reader sets it
                       not */
};

/* Makes a message in `bytes`, of LOG_MESSAGE_MAX. Returns its size; 0: it is too long. */
size_t log_message_make(const char *name, char *const *words, size_t count, char *bytes);

/* Reads one; what it points to lies in `bytes`. Returns 0, or -EINVAL: it is none. */
int log_message_read(const char *bytes, size_t size, struct log_message *message);

/* Writes "DATE USER WORD...\n", with bytes that are no printable ASCII, and backslashes, as \xHH.
 * Returns its length, or -EMSGSIZE. */
int log_message_line(const struct log_message *message, const char *date, const char *user,
                     char line[LOG_LINE_SIZE]);

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

/* NAME becomes NAME.1, and so on up to as many files as there may be. Returns 0 or -errno. */
int library_log_rotate(const struct library_logs *logs, const char *name);

/* Appends "DATE USER WORD..." to the log of this name of a file, made where it is missing, and
 * renamed before where it is full. Of the message, the words count. The date is that of `time_s`,
 * since the Epoch, or of the entry before where that is later. Returns 0; -EMSGSIZE; or another
 * -errno, and the log is as it was. */
int library_log_write(const struct library_logs *logs, const char *name,
                      const struct log_message *message, const char *user, int64_t time_s);
