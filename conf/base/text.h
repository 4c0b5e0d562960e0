/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Text in records. Paths and arguments are bytes; JSON wants Unicode. A byte 0xNN that is part of
 * no valid UTF-8 becomes the private-use character U+EFNN (as in MirBSD's OPTU encoding), and so
 * do the bytes of a genuine U+EF80..U+EFFF. So each string of bytes has one form, from which it can
 * be restored.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Whether all bytes are ASCII: then text_from_bytes() changes nothing. */
bool text_is_ascii(const char *bytes, size_t size);

/* The `size` bytes at `bytes` as valid UTF-8, NUL-terminated, malloc'ed; its length in `*length`.
 * NULL when out of memory. */
char *text_from_bytes(const char *bytes, size_t size, size_t *length);

/* Valid UTF-8 with each character beyond ASCII as \uXXXX, with surrogate pairs, as XALT writes its
 * files; malloc'ed. NULL when out of memory. The V of " V:" and a digit is written so too: XALT's
 * syslog loader takes the last one of a line for the end of the head (__frntPatt in
 * py_src/xalt_syslog_to_db.in.py), and would lose the block silently. */
char *text_ascii_json(const char *utf8);

/* Whether text_ascii_json() can have written these bytes: ASCII without control characters except
 * for DEL, and no such V. */
bool text_is_ascii_json(const char *bytes, size_t size);

/* Whether the bytes stand in a string of JSON in the form of text_ascii_json() as they are: ASCII
 * without control characters except for DEL, without quotes, backslashes and such a V. */
bool text_is_plain_json(const char *bytes, size_t size);

/* Two lower-case hexadecimal digits for each byte, and a NUL. */
void text_hex(const void *bytes, size_t size, char *text);

/* Makes what another has said fit for logs and terminals: ASCII without control characters. */
void text_make_printable(char *text);

/* ---- For a terminal -------------------------------------------------------------------------- */

/* Bytes that a user has chosen, as text for another one's terminal. */

/* Writes the bytes with each one as \xHH that could drive a terminal, hide, or change the order of
 * what is beside it: of control and format characters, of those that are not visible by Unicode's
 * Default_Ignorable_Code_Point, and of what is no character in the locale (LC_CTYPE). Bars and
 * backslashes are written so, too. `text` has `room` bytes, 8 at the least; what does not fit is
 * left out. */
void terminal_text(const char *bytes, size_t size, char *text, size_t room);

enum { TERMINAL_WORD_SIZE = 1024 };

/* The same of a word, for a message: returns `room`. */
const char *terminal_word(const char *word, char room[TERMINAL_WORD_SIZE]);
