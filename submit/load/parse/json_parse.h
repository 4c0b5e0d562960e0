/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stddef.h>

#include <json-c/json.h>

#include "submit/load/parse/load_reason.h"

/* Parses the `size` bytes at `text`, behind which a byte follows that ends any value: NUL, a comma,
 * a bracket, a blank. Returns 0 with the value, which the caller puts, in `*parsed`, NULL for JSON
 * null, and the bytes of memory that it takes, about, added to `*bytes`; -EBADMSG and `*reason`,
 * also where that would be too many; -ENOMEM. Not thread-safe. */
int json_parse(const char *text, size_t size, struct json_object **parsed, size_t *bytes,
               struct load_reason *reason);

/* Canonical JSON has keys in byte order, no blanks, no escaped slashes. Equal things have equal
 * text, hence one hash, whatever order a record wrote them in. */

/* A copy of `value` with the keys of every object in order; leaves are shared. The caller puts it.
 * NULL when out of memory, and for JSON null. */
struct json_object *canonical_copy(struct json_object *value);

/* The text of such a copy, NUL-terminated, owned by it; NULL when out of memory. */
const char *canonical_text(struct json_object *value, size_t *size);
