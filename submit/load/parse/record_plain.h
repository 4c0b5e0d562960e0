/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The values of a run where they are plain: numbers, and strings without escapes. They are taken
 * from the record's text as they stand, without making objects of them.
 */
#ifndef JOBTRAIL_RECORD_PLAIN_H
#define JOBTRAIL_RECORD_PLAIN_H

#include "submit/load/parse/load_record.h"

/* The tables of a run record that have its values, and the one value at its top. */
enum plain_table { PLAIN_USER, PLAIN_TIMES, PLAIN_SLURM, PLAIN_HASH_ID, PLAIN_TABLES };

/* The key of each. */
extern const char *const plain_keys[PLAIN_TABLES];

/* Whether the value is a number as JSON writes it, a string without escapes, true, false or null.
 */
bool is_plain_value(struct json_slice value);

/* Whether it is an array of strings without escapes, with no blanks between them. */
bool is_plain_array(struct json_slice value);

/* Reads the values into `run`. Texts stay in the record's text, of which the slices are, and get a
 * NUL in the place of their closing quote. Returns false, with the text and `*run` as they were,
 * when something is not plain or not as it should be: the parser will tell. */
bool record_plain_read(const struct json_slice tables[PLAIN_TABLES], struct run_record *run);

#endif
