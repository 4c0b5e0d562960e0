/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The text of a JSON object, written key by key. It has the same form as json_text() gives to
 * objects that json_add.h filled, and takes a fifth of the time: most records are of runs, and are
 * many. Keys are literals of ours, and each is written once. Out of memory shows when the text is
 * asked for.
 */
#pragma once

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

#include "submit/evidence/ledger_read.h"

struct json_writer {
    char *text; /* owned; ASCII; not ended by NUL */
    size_t length, room;
    bool failed; /* out of memory */
};

/* Begins the object. */
void json_write_begin(struct json_writer *writer);

/* Begins an object that is the value of `key`; json_write_close() ends it. */
void json_write_open(struct json_writer *writer, const char *key);
void json_write_close(struct json_writer *writer);

/* As json_add_text(), json_add_bytes(), json_add_double(), json_add_measured() and
 * json_add_exact(). */
void json_write_text(struct json_writer *writer, const char *key, const char *text);
void json_write_bytes(struct json_writer *writer, const char *key, struct capture_bytes bytes);
void json_write_double(struct json_writer *writer, const char *key, double value);
void json_write_measured(struct json_writer *writer, const char *key, double seconds);
void json_write_exact(struct json_writer *writer, const char *key, double value);

/* Any other value; the reference becomes the writer's. */
void json_write(struct json_writer *writer, const char *key, struct json_object *value);

/* All keys of an object, which is not empty, with their values, among those of the object that is
 * open; the reference becomes the writer's. */
void json_write_members(struct json_writer *writer, struct json_object *object);

/* Ends the object. Returns its text with a NUL behind it, to be freed, and its length; NULL when
 * out of memory. The writer is empty then. */
char *json_write_end(struct json_writer *writer, size_t *length);
