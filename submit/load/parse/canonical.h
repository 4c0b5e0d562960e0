/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Canonical JSON: keys in byte order, no blanks, no escaped slashes. Equal things have equal text,
 * hence one hash, whatever order a record wrote them in.
 */
#ifndef JOBTRAIL_CANONICAL_H
#define JOBTRAIL_CANONICAL_H

#include <stddef.h>

#include <json-c/json.h>

/* A copy of `value` with the keys of every object in order; leaves are shared. The caller puts it.
 * NULL when out of memory, and for JSON null. */
struct json_object *canonical_copy(struct json_object *value);

/* The text of such a copy, NUL-terminated, owned by it; NULL when out of memory. */
const char *canonical_text(struct json_object *value, size_t *size);

#endif
