/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The sections of jobtrail.conf that hold a list of rules, and the rules that are built in for a
 * file that gives none.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "conf/conf.h"

#define CONF_LISTS 10

struct conf_list {
    const char *section;
    size_t offset;             /* of the struct conf_rules in struct conf */
    enum policy_section which; /* in the compiled policy */
    unsigned actions;          /* bitmap of 1 << enum policy_action that its rules may have */
    enum policy_action default_action; /* where no rule matches */
};

extern const struct conf_list conf_lists[CONF_LISTS];

/* The list of a section, or NULL. */
const struct conf_list *conf_list_find(const char *section);

const struct conf_rules *conf_list_rules(const struct conf_list *list, const struct conf *conf);

/* "keep", "skip", ..., "hide"; NULL for what is no action. */
const char *conf_action_name(enum policy_action action);

/* The action of that name, or POLICY_NONE where the list does not allow it. */
enum policy_action conf_list_action(const struct conf_list *list, const char *name);

/* Appends a rule with a copy of `pattern`. Returns 0, or -ENOMEM. */
int conf_rules_append(struct conf_rules *rules, const struct conf_rule *rule);
int conf_list_append(const struct conf_list *list, struct conf *conf, const struct conf_rule *rule);

/* Gives every list without rules the built-in ones. [redact] gets its built-in rules after those of
 * the file, unless [tracking] redact_default = no. [paths] gets the system's small tools after all
 * others, unless [tracking] system_tools = yes. Returns 0, or -ENOMEM. */
int conf_lists_default(struct conf *conf);

/* Whether `rule`, one of the rules of `conf`, is the one of the system's small tools. */
bool conf_rule_is_system_tools(const struct conf *conf, const struct conf_rule *rule);

/* What is wrong with a pattern of the list that nobody can have meant: of a glob, or one that no
 * text of this section fits. NULL: nothing. */
const char *conf_rule_doubt(const struct conf_list *list, const char *pattern);

void conf_rules_free(struct conf_rules *rules);
void conf_lists_free(struct conf *conf);

/* ---- Small tools ----------------------------------------------------------------------------- */

/* The small tools of the operating system, no runs unless [tracking] system_tools = yes. */

/* Patterns of executables' real paths, as in [paths]; ended by NULL. Each fits into a line of
 * jobtrail.conf as `skip = PATTERN`. */
extern const char *const system_tools[];
