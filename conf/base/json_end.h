/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where sound JSON ends (RFC 8259), in text without blanks between its tokens. Between quotes only
 * escapes are checked: text_is_ascii_json() checks the bytes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The 16 bits of the \uXXXX at `at`; -1 when there is none. */
int json_code_unit(const char *at, const char *end);

/* After the colon of the key whose opening quote is at `at`. NULL where there is none. */
const char *json_key_end(const char *at, const char *end);

/* After the value that begins at `at`. NULL where it is no value, or nests deeper than 16. */
const char *json_value_end(const char *at, const char *end);

/* ---- Surrogate pairs ------------------------------------------------------------------------- */

/* A character whose last 16 bits are those of half a surrogate pair, as U+1D800 and U+2DB00, can be
 * written as a pair in JSON. json-c (0.16 at least) takes it for such a half then, and loses it and
 * what follows. In UTF-8 it is read as any other character. */

/* Whether there is such a pair in the `size` bytes of JSON, behind which a NUL follows. */
bool json_pairs_are_misread(const char *json, size_t size);

/* Writes each such pair as its character, in place, and a NUL behind all. Returns the size then. */
size_t json_pairs_join(char *json, size_t size);
