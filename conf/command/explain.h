/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a policy decides, and which rule of the configuration it was compiled from does.
 */
#pragma once

#include <json-c/json.h>

#include "conf/conf_rules.h"
#include "conf/policy/policy.h"

/* A configuration and the policy compiled from it. */
struct explain {
    const struct conf *conf;
    const void *policy;
    const char *file; /* the configuration's, as administrators named it */
};

/* The verdict of a list of rules about one text. */
struct explain_verdict {
    const struct conf_list *list;
    const char *text;
    enum policy_action action;
    const struct conf_rule *rule; /* NULL: none matches */
};

struct explain_verdict explain_text(const struct explain *explain, const struct conf_list *list,
                                    const char *text);

/* The verdicts about a process. */
struct explain_process {
    struct explain_verdict path;
    struct explain_verdict argument; /* only where `path` is POLICY_CUSTOM; else its list is NULL */
    char *text;                      /* owned: of `argument`, "PATH;ARGUMENT", as it is matched */
};

/* Fills `*out` for the executable argv[0] and its arguments, which may name files in the current
 * directory; release it with explain_process_free(). Returns 0, or -ENOMEM. */
int explain_process(const struct explain *explain, int argc, char **argv,
                    struct explain_process *out);

void explain_process_free(struct explain_process *process);

/* A sentence on stdout, with the rule's line. */
void explain_print(const struct explain *explain, const struct explain_verdict *verdict);

/* The same as an object; jobtrail-conf(8), --json. */
struct json_object *explain_json(const struct explain *explain,
                                 const struct explain_verdict *verdict);

/* What is recorded of a command line, and each rule that takes something out of it: as lines on
 * stdout and as an object. Returns 0, or -ENOMEM; NULL when out of memory. */
int explain_command_line_print(const struct explain *explain, int argc, char **argv);
struct json_object *explain_command_line_json(const struct explain *explain, int argc, char **argv);

/* What an extension says of a file. */
struct explain_file {
    size_t option;                /* where in struct options (command.h) its path is */
    const char *name, *extension; /* of the option */

    /* As sentences on stdout, or as objects that are added to the array `all`. Returns 0 or -errno.
     * NULL: it is not built. */
    int (*explain)(const struct explain *explain, const char *path, struct json_object *all);
};

enum { EXPLAIN_FILES = 2 };
extern const struct explain_file explain_files[EXPLAIN_FILES];

/* Whether it is a library that is watched, by which lines of [libraries], and how it is named. */
int explain_library(const struct explain *explain, const char *path, struct json_object *all);

/* What [routines] says about the library in it. */
int explain_routines(const struct explain *explain, const char *path, struct json_object *all);
