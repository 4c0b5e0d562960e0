/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * json-c (0.16 at least) takes a character whose last 16 bits are those of half a surrogate pair,
 * as U+1D800 and U+2DB00 are, for such a half when it is written as a pair, and loses it and what
 * follows. Written as it is, it reads it as any other.
 */
#ifndef JOBTRAIL_JSON_PAIRS_H
#define JOBTRAIL_JSON_PAIRS_H

#include <stddef.h>

/* Whether there is such a pair in the `size` bytes of JSON, behind which a NUL follows. */
int json_pairs_are_misread(const char *json, size_t size);

/* Writes each such pair as its character, in place, and a NUL behind all. Returns the size then. */
size_t json_pairs_join(char *json, size_t size);

#endif
