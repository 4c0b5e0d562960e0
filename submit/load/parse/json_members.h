/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where the members of a JSON object stand in its text, without parsing their values: what a loader
 * has seen before needs no parsing. In contrast to conf/base/json_end.h, which decides what root
 * takes over from a user, all layouts are read that json-c reads, as XALT's, and what is wrong
 * between brackets is for json-c to find.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct json_slice {
    const char *at;
    size_t size;
};

/* A place in the text of one object. */
struct json_members {
    const char *at, *end;
};

/* At the first member of the object that the `size` bytes at `text` are. Returns whether there is
 * an opening brace. */
bool json_members_open(struct json_members *members, const char *text, size_t size);

enum json_step { JSON_MEMBER, JSON_END, JSON_BAD };

/* The next member: `*key` without its quotes and with its escapes, `*value` without blanks around
 * it. JSON_END behind the closing brace, when nothing but blanks follow it; JSON_BAD where quotes,
 * brackets or separators are wrong. What is between a value's brackets is not looked at further. */
enum json_step json_members_next(struct json_members *members, struct json_slice *key,
                                 struct json_slice *value);
