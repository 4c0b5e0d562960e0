/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One line of the journal (journal.h), put together and appended. A value that does not fit is
 * left out whole, so that a line is never malformed.
 */
#pragma once

#include <stdbool.h>

#include "spank/journal.h"

struct journal_line {
    uint64_t limit; /* bytes; the line is left out where the journal would be larger with it */
    size_t length;
    char text[JOURNAL_LINE_MAX];
};

/* Starts a line with `verb`, the time, and the time since boot. */
void journal_start(struct journal_line *line, const char *verb);

void journal_number(struct journal_line *line, const char *key, uint64_t value);

/* `value` may be NULL: then nothing is added. Returns false where it does not fit. */
bool journal_text(struct journal_line *line, const char *key, const char *value);

/* As much of the beginning of the value as fits. Returns how many of its bytes that is. */
size_t journal_piece(struct journal_line *line, const char *key, const char *value);

/* Opens the journal in the directory `spool`. Returns a descriptor, which the caller closes, or
 * -errno. A process may write a line of the verb `again` there that could not open it any more. */
int journal_open(int spool);
int journal_write(int fd, struct journal_line *line);

/* Appends the line to the journal in the directory `spool`. Returns 0; 1 where the line was left
 * out and counted, since the journal is full (journal.h); or -errno. */
int journal_append(struct journal_line *line, int spool);
