/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which records a user may hand in. Users can lie about their own programs, never about another
 * user's.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include <json-c/json.h>

#include "submit/definition/record_view.h"

/* Whether the file name is that of a link's record of the user `user_name`: runs and coverage are
 * what root knows, and packages are reported in the run's own directory (packages.h). */
bool hand_in_name_fits(const struct record_view *record, const char *user_name);

/* Whether the text is on one line, in ASCII without control characters except for DEL, and between
 * the braces of an object. */
bool hand_in_is_line(const struct record_view *record);

/* Whether the text is a link's record alone, with no key of another kind or of root's, and tells
 * the same as its name, once and clearly (record_facts.h): the uuid and the user who built, who has
 * this uid if it says one. Of a name that fits. */
bool hand_in_says(const struct record_view *record, const char *user_name, uid_t uid);

/* The text, where it is JSON as we write it, to be put by the caller; or NULL. `text` ends with a
 * NUL. */
struct json_object *hand_in_parse(const char *text);

/* hand_in_says() and hand_in_parse() in one: all who read the text find the same in it. The text
 * ends with a NUL. Of a name that fits. */
bool hand_in_text_fits(const struct record_view *record, const char *user_name, uid_t uid);
