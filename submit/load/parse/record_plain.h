/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The values of a run where they are plain: numbers, and strings without escapes. They are taken
 * from the record's text as they stand, without making objects of them.
 */
#pragma once

#include "submit/load/parse/load_record.h"

/* Whether the value is a number as JSON writes it, a plain string, true, false or null. */
bool is_plain_value(struct json_slice value);

/* Whether it is an array, maybe empty, of strings without escapes, with no blanks between them. */
bool is_plain_array(struct json_slice value);

/* Reads the values into `run`: `top` has what stands at each key of the record's text, of size 0
 * where it has none. Texts stay in that text and get a NUL in the place of their closing quote.
 * Returns false, with the text and `*run` as they were, when something is not plain or not as it
 * should be: the parser will tell. */
bool record_plain_read(const struct json_slice top[RECORD_TOPS], struct run_record *run);
