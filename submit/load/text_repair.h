/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * JSON text that any reader can take. jobtrail writes bytes that are not UTF-8 as private-use code
 * points: byte B (0x80 to 0xFF) becomes U+EF00 + B. Records from elsewhere may hold such bytes as
 * they are, and escaped NULs, which no path or argument can contain and no C string can hold.
 */
#ifndef JOBTRAIL_TEXT_REPAIR_H
#define JOBTRAIL_TEXT_REPAIR_H

#include <stddef.h>

/* Maps each byte of the malloc'ed JSON text that is not UTF-8 to its private-use code point and
 * each escaped U+0000 to U+FFFD. Replaces `*text` and `*size` when that takes more room. Returns 0,
 * or -ENOMEM with the text unchanged. */
int text_repair(char **text, size_t *size);

#endif
