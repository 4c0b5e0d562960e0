/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Adding values to json-c objects in the forms that records use. Out of memory shows when the
 * finished text is asked for; a key that could not be added is missing until then. Each key is a
 * literal, which json-c does not copy, and is added once, so that it need not look for it.
 */
#pragma once

#include <json-c/json.h>
#include <stddef.h>
#include <stdint.h>

#include "submit/evidence/ledger_read.h"

/* `value` becomes the table's. */
void json_add(struct json_object *table, const char *key, struct json_object *value);

void json_add_text(struct json_object *table, const char *key, const char *text);

/* Bytes in the reversible form of text.h. */
void json_add_bytes(struct json_object *table, const char *key, struct capture_bytes bytes);

/* The value with 4 or 6 decimals, as printf gives it, in a tenth of its time for times and counts.
 * One that is too long is cut. */
enum { JSON_DECIMALS_SIZE = 64 };
void json_decimals(double value, int decimals, char text[JSON_DECIMALS_SIZE]);

/* The value with as many digits as say which double it is, without an exponent. */
void json_exact(double value, char text[JSON_DECIMALS_SIZE]);
void json_add_exact(struct json_object *table, const char *key, double value);

/* A double with 4 decimals, as XALT writes its numbers. */
void json_add_double(struct json_object *table, const char *key, double value);

/* Seconds with 6 decimals. */
void json_add_measured(struct json_object *table, const char *key, double seconds);

void json_add_int(struct json_object *table, const char *key, int64_t value);

/* `value`, or null when it is `none`. */
void json_add_optional(struct json_object *table, const char *key, uint32_t value, uint32_t none);

/* The text of an object as it stands in records; the object's. NULL when out of memory. */
const char *json_text(struct json_object *object);

/* Nanoseconds as seconds. */
double json_seconds(uint64_t ns);

/* A build-id in hexadecimal, or "0" where there is none; NULL when out of memory. */
struct json_object *json_build_id(struct capture_bytes id);

/* The bytes of `text`, without its NUL. */
struct capture_bytes text_bytes(const char *text);

/* The other way round, cut to what `size` bytes hold with a NUL. */
void copy_bytes(struct capture_bytes bytes, char *text, size_t size);

/* A string of bytes for an array; NULL when out of memory. */
struct json_object *json_bytes(struct capture_bytes bytes);

/* NUL-separated strings as an array. */
struct json_object *json_strings(struct capture_bytes bytes);
