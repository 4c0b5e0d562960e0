/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where sound JSON ends (RFC 8259), in text without blanks between its tokens. Between quotes only
 * escapes are checked: text_is_ascii_json() checks the bytes.
 */
#ifndef JOBTRAIL_JSON_END_H
#define JOBTRAIL_JSON_END_H

/* The 16 bits of the \uXXXX at `at`; -1 when there is none. */
int json_code_unit(const char *at, const char *end);

/* From after the opening quote, to after the closing one. NULL where there is none before `end`, or
 * an escape is wrong, or half of a surrogate pair. */
const char *json_string_end(const char *at, const char *end);

/* After the colon of the key whose opening quote is at `at`. NULL where there is none. */
const char *json_key_end(const char *at, const char *end);

/* After the value that begins at `at`. NULL where it is no value, or nests deeper than 16. */
const char *json_value_end(const char *at, const char *end);

#endif
