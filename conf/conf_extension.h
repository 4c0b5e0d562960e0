/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The sections of jobtrail.conf that belong to extensions, and what the extension does with them,
 * by a row that it defines in its own folder. The keys of a section stand in that folder too, in a
 * file such as contrib/libraries/library_settings.def, and its text in the installed file in one
 * such as contrib/libraries/libraries.conf.in.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "conf/conf.h"
#include "conf/conf_fault.h"

#define CONF_LINES 3

/* A key that may be given several times. */
struct conf_lines_key {
    const char *section;
    const char *name;
    size_t offset; /* of the struct conf_lines in struct conf */
    bool has_name; /* the value is a name and a text, with blanks between */
};

extern const struct conf_lines_key conf_lines_keys[CONF_LINES];

/* The key of this name in this section, or NULL; name NULL: the first one of the section. */
const struct conf_lines_key *conf_lines_find(const char *section, const char *name);

const struct conf_lines *conf_lines_of(const struct conf_lines_key *key, const struct conf *conf);

/* Checks the value `text` of the line `line`, and appends it. Returns 0, -ENOMEM, or -EINVAL and
 * fills `*fault`. */
int conf_lines_append(const struct conf_lines_key *key, struct conf *conf, const char *text,
                      unsigned line, struct conf_fault *fault);

/* Writes the value as the file gives it, into `size` bytes at `text`. */
void conf_line_print(const struct conf_line *line, char *text, size_t size);

void conf_lines_free(struct conf *conf);

struct policy_table;

/* A function is NULL where the extension has nothing to say. */
struct conf_part {
    /* Checks the value of a line. Returns 0, or -EINVAL and fills `*fault`. */
    int (*check_line)(const struct conf_lines_key *key, const struct conf *conf, const char *text,
                      struct conf_fault *fault);

    /* The same of the pattern of a rule. */
    int (*check_pattern)(const char *pattern, struct conf_fault *fault);

    /* Whether the values of two keys of the section do not go together. Gives these. */
    bool (*clash)(const struct conf *conf, const char **key, const char **other);

    /* Fills `*made` with the rules that are compiled in place of those of the section, which
     * `table` has compiled; without a rule there: these stay. Returns 0, -ENOMEM, or -EINVAL and
     * fills the place, the reason and the hint of `*why`. conf_rules_free() releases. */
    int (*make_rules)(const struct conf *conf, const struct policy_table *table,
                      struct conf_rules *made, struct conf_error *why);
};

extern const struct conf_part conf_part_libraries; /* contrib/libraries */
extern const struct conf_part conf_part_routines;  /* contrib/routines */

struct extension {
    const char *name;  /* also that of its section */
    const char *words; /* as people say it */
    bool is_built;
    const struct conf_part *part; /* NULL: it has nothing to say */
};

/* What the extension of a section has to say; NULL: nothing. */
const struct conf_part *conf_part_find(const char *section);

/* Whether the section is that of an extension that is not built: its rules have no effect. */
bool conf_is_left_out(const char *section);

/* The next extension, from the number `*at` on (0 at first), that is not built, and in whose
 * section the file gives something, which has no effect. NULL: there is none. */
const struct extension *conf_left_out(const struct conf *conf, size_t *at);

/* Of its name and words. */
#define CONF_LEFT_OUT "[%s] has no effect: this jobtrail is built without %s"

/* The section of two keys whose values do not go together; NULL: there is none. */
const char *conf_clash(const struct conf *conf, const char **key, const char **other);
