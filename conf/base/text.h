/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Text in records. Paths and arguments are bytes; JSON wants Unicode. A byte 0xNN that is part of
 * no valid UTF-8 becomes the private-use character U+EFNN (as in MirBSD's OPTU encoding), and so
 * do the bytes of a genuine U+EF80..U+EFFF: thus every string of bytes has one form and can be
 * had back from it.
 */
#ifndef JOBTRAIL_TEXT_H
#define JOBTRAIL_TEXT_H

#include <stddef.h>

/* Whether text_from_bytes() would change nothing, since all is ASCII. */
int text_is_ascii(const char *bytes, size_t size);

/* The `size` bytes at `bytes` as valid UTF-8, NUL-terminated, malloc'ed; its length in `*length`.
 * NULL when out of memory. */
char *text_from_bytes(const char *bytes, size_t size, size_t *length);

/* Valid UTF-8 with every character beyond ASCII as \uXXXX, with surrogate pairs, as XALT writes
 * its files; malloc'ed. NULL when out of memory. So is the V of " V:" and a digit: XALT's syslog
 * loader takes the last one of a line for the end of the head (__frntPatt in
 * py_src/xalt_syslog_to_db.in.py), and would lose the block without a word. */
char *text_ascii_json(const char *utf8);

/* Whether it gives such bytes: ASCII without control characters but DEL, and no such V. */
int text_is_ascii_json(const char *bytes, size_t size);

/* Two lower-case hexadecimal digits for each byte, and a NUL. */
void text_hex(const void *bytes, size_t size, char *text);

#endif
