/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What of command lines, and of other text of users' that can hold one, goes into records: as much
 * as [tracking] command_line says, without what [redact] takes out.
 */
#pragma once

#include <json-c/json.h>

#include "conf/conf.h"
#include "conf/redact.h"
#include "submit/evidence/ledger_read.h"

/* The site's rules. All zeros: command lines are recorded as they are. */
struct command_lines {
    enum policy_command_line wanted;
    const void *policy; /* NULL: no rules leave out a program */
    struct redactor redactor;
};

/* `policy` is usable and must outlive `*lines`. */
void command_lines_make(const struct conf *conf, const void *policy, struct command_lines *lines);

/* Arguments, each ended by NUL, as an array of strings; NULL when out of memory. */
struct json_object *command_line_json(const struct command_lines *lines, struct capture_bytes argv);

/* The same of an ancestor, of which `path` is the executable's: where the rules leave that one out,
 * or the path is not known, the first argument at the most. */
struct json_object *command_line_of_ancestor(const struct command_lines *lines,
                                             struct capture_bytes path, struct capture_bytes argv);

/* Other text as a string, without what is taken out; NULL when out of memory. */
struct json_object *command_line_text(const struct command_lines *lines, struct capture_bytes text);

/* NAME=VALUE strings, each ended by NUL, as a table; NULL when out of memory. */
struct json_object *command_line_variables(const struct command_lines *lines,
                                           struct capture_bytes env);
