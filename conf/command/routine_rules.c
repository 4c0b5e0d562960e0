/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/command/routine_rules.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/compile.h"
#include "conf/conf_rules.h"

enum { TEXT_SIZE = 512 };

static const char routine_kind[] = "routine:";

void *routine_rule_policy(const struct conf *conf, const struct conf_rule *rule)
{
    CLEANUP_FREE struct conf *one = malloc(sizeof *one);
    struct conf_rule copy = *rule;
    struct conf_error why;
    void *policy = NULL;
    size_t size;
    if (one == NULL)
        return NULL;
    *one = *conf;
    for (size_t i = 0; i < CONF_LISTS; i++)
        memset((char *)one + conf_lists[i].offset, 0, sizeof(struct conf_rules));
    one->routine = (struct conf_rules){&copy, 1};
    return compile_policy(one, &policy, &size, &why) == 0 ? policy : NULL;
}

void routine_rule_head(const char *pattern, char *head, size_t size)
{
    size_t at = 0;
    for (; *pattern != '\0' && at + 1 < size; pattern++) {
        if (*pattern == '\\' && ispunct((unsigned char)pattern[1]))
            pattern++;
        else if (strchr("\\.[](){}*+?|^$", *pattern) != NULL)
            break;
        head[at++] = *pattern;
    }
    head[at] = '\0';
}

bool routine_rule_is(const struct conf_rule *rule)
{
    return strncmp(rule->pattern, routine_kind, sizeof routine_kind - 1) == 0;
}

bool routine_rule_library(const struct conf_rule *rule, char *library, size_t size)
{
    routine_rule_head(rule->pattern + sizeof routine_kind - 1, library, size);
    char *end = strchr(library, ':');
    if (end != NULL)
        *end = '\0';
    return end != NULL && strchr(rule->pattern, '|') == NULL;
}

bool routine_rule_is_of(const struct conf *conf, const struct conf_rule *rule, const char *library)
{
    char text[TEXT_SIZE];
    struct policy_table table;
    CLEANUP_FREE void *policy = routine_rule_policy(conf, rule);
    int size = snprintf(text, sizeof text, "%s%s:", routine_kind, library);
    return policy != NULL && policy_find(policy, POLICY_ROUTINE, &table) &&
           policy_walk(&table, table.dfa->start, text, (size_t)size) != POLICY_DEAD;
}

/* LIBRARY:NAME has a colon. */
static bool can_name_routine(const char *pattern)
{
    return strpbrk(pattern, ":[(") != NULL || strstr(pattern, ".*") != NULL ||
           strstr(pattern, ".+") != NULL;
}

static bool is_kept(const void *policy, const char *kind, const char *library)
{
    char text[TEXT_SIZE];
    int size = snprintf(text, sizeof text, "%s%s", kind, library);
    const struct policy_rule *rule = policy_match(policy, POLICY_ROUTINE, text, (size_t)size);
    return rule != NULL && rule->action == POLICY_KEEP;
}

/* Whether libraries are designated by other things than the name that rules about routines have. */
static bool has_other_kinds(const struct conf *conf)
{
    for (size_t i = 0; i < conf->routine.count; i++) {
        const struct conf_rule *rule = &conf->routine.rule[i];
        if (rule->action == POLICY_KEEP && !routine_rule_is(rule) &&
            strncmp(rule->pattern, "soname:", 7) != 0 && strncmp(rule->pattern, "archive:", 8) != 0)
            return true;
    }
    return false;
}

static bool has_later_skip(const struct conf *conf, size_t at)
{
    for (size_t i = at + 1; i < conf->routine.count; i++)
        if (conf->routine.rule[i].action == POLICY_SKIP && routine_rule_is(&conf->routine.rule[i]))
            return true;
    return false;
}

void routine_rule_trouble(const struct conf *conf, const void *policy, size_t at, char *text,
                          size_t size)
{
    const struct conf_rule *rule = &conf->routine.rule[at];
    char library[TEXT_SIZE / 2];
    text[0] = '\0';
    if (!can_name_routine(rule->pattern + sizeof routine_kind - 1))
        snprintf(text, size, "it is about no routine: these are routine:LIBRARY:NAME");
    else if (routine_rule_library(rule, library, sizeof library) && !has_other_kinds(conf) &&
             !is_kept(policy, "soname:", library) && !is_kept(policy, "archive:", library))
        snprintf(text, size, "no rule keeps a library with the soname %.100s, or such an archive",
                 library);
    else if (rule->action == POLICY_KEEP && !has_later_skip(conf, at))
        snprintf(text, size, "routines are kept unless a rule skips them, and none behind it does");
}
