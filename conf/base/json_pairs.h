/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A character whose last 16 bits are those of half a surrogate pair, as U+1D800 and U+2DB00, can be
 * written as a pair in JSON. json-c (0.16 at least) takes it for such a half then, and loses it and
 * what follows. In UTF-8 it is read as any other character.
 */
#ifndef JOBTRAIL_JSON_PAIRS_H
#define JOBTRAIL_JSON_PAIRS_H

#include <stdbool.h>
#include <stddef.h>

/* Whether there is such a pair in the `size` bytes of JSON, behind which a NUL follows. */
bool json_pairs_are_misread(const char *json, size_t size);

/* Writes each such pair as its character, in place, and a NUL behind all. Returns the size then. */
size_t json_pairs_join(char *json, size_t size);

#endif
