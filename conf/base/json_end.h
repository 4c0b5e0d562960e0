/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where sound JSON ends (RFC 8259), in text without blanks between its tokens. What is between
 * quotes is looked at for its escapes alone: which bytes it may hold is for text_is_ascii_json().
 */
#ifndef JOBTRAIL_JSON_END_H
#define JOBTRAIL_JSON_END_H

/* The 16 bits of the \uXXXX at `at`; -1 when there is none. */
int json_code_unit(const char *at, const char *end);

/* From behind the opening quote to behind the closing one. NULL where there is none before `end`,
 * or an escape is none, or half of a surrogate pair. */
const char *json_string_end(const char *at, const char *end);

/* Behind the value that begins at `at`. NULL where it is none or nests deeper than 16. */
const char *json_value_end(const char *at, const char *end);

#endif
