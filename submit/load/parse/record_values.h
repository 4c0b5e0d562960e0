/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plain values of a record, from its JSON into the structs of load_record.h.
 */
#pragma once

#include "submit/load/parse/load_record.h"

/* Reads the value of `field` into `values`, the struct that the field is of, from the table of the
 * field in `root`. Returns 0, also when there is none; -EBADMSG and `*reason`; -ENOMEM. */
int record_read_value(struct json_object *root, const struct record_field *field, void *values,
                      struct load_reason *reason);

/* Reads all values of the list, up to the first that is damaged. */
int record_read_values(struct json_object *root, const struct record_fields *list, void *values,
                       struct load_reason *reason);

/* Sets the number `member` of the field, or makes it unknown. Returns false when the number is out
 * of its range. */
bool record_set_number(const struct record_field *field, void *member, bool known, double number);

/* Whether each is known, and a number of 32 bits. */
bool record_are_counts(const struct record_int *const *counts, size_t count);

/* Whether it can be a sum of seconds or bytes of a step; of as many records no such sum overflows.
 * NaN is in no range. */
static inline bool record_is_sum(double value)
{
    return value >= 0 && value <= 1e18;
}
