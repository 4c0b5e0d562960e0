/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Bytes that a user has chosen, as text for another one's terminal.
 */
#ifndef JOBTRAIL_TERMINAL_TEXT_H
#define JOBTRAIL_TERMINAL_TEXT_H

#include <stddef.h>

/* Writes the bytes with each one as \xHH that could drive a terminal, hide, or change the order of
 * what is beside it: of control and format characters, of those that are not visible by Unicode's
 * Default_Ignorable_Code_Point, and of what is no character in the locale (LC_CTYPE). Bars and
 * backslashes are written so, too. `text` has `room` bytes, 8 at the least; what does not fit is
 * left out. */
void terminal_text(const char *bytes, size_t size, char *text, size_t room);

enum { TERMINAL_WORD_SIZE = 1024 };

/* The same of a word, for a message: returns `room`. */
const char *terminal_word(const char *word, char room[TERMINAL_WORD_SIZE]);

#endif
