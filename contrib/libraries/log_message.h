/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What jobtrail-libdate -f hands in, and the line that comes of it. A message is
 * LOG_MESSAGE_BEGIN, the log's name and a NUL, then the words, each with a NUL behind it.
 */
#ifndef JOBTRAIL_LOG_MESSAGE_H
#define JOBTRAIL_LOG_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

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

#endif
