/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/routines/routine_modules.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/conf_extension.h"
#include "conf/conf_rules.h"
#include "conf/library_modules.h"
#include "conf/policy/policy_read.h"

#define ROUTINE_MODULE "module:"

/* A directory, and the rule that decides about its module; NULL: none does. */
struct ruled_directory {
    size_t at; /* in the map */
    size_t length;
    const char *directory;
    const struct conf_rule *rule;
};

const struct conf_rule *routine_modules_rule(const struct conf *conf)
{
    for (size_t i = 0; i < conf->routine.count; i++) {
        if (strncmp(conf->routine.rule[i].pattern, ROUTINE_MODULE, strlen(ROUTINE_MODULE)) == 0)
            return &conf->routine.rule[i];
    }
    return NULL;
}

/* The pattern of all files below a directory; malloc'ed, or NULL. */
static char *pattern_below(const struct ruled_directory *ruled)
{
    char *pattern = malloc(sizeof ROUTINE_DIRECTORY "/.*" + 4 * ruled->length), *to = pattern;
    if (pattern == NULL)
        return NULL;
    to = stpcpy(to, ROUTINE_DIRECTORY);
    for (const char *at = ruled->directory; at < ruled->directory + ruled->length; at++) {
        if (isalnum((unsigned char)*at) || *at == '/' || *at == '_')
            *to++ = *at;
        else
            to += sprintf(to, "\\x%02x", (unsigned char)*at);
    }
    strcpy(to, "/.*");
    return pattern;
}

static int add_directory(struct conf_rules *rules, const struct conf_rule *like,
                         const struct ruled_directory *ruled)
{
    CLEANUP_FREE char *pattern = pattern_below(ruled);
    const struct conf_rule rule = {like->action, pattern, like->line, like->column};
    return pattern == NULL ? -ENOMEM : conf_rules_append(rules, &rule);
}

static const struct conf_rule *rule_of(const struct conf *conf, const struct policy_table *table,
                                       const char *module)
{
    uint32_t state = policy_walk(table, table->dfa->start, ROUTINE_MODULE, strlen(ROUTINE_MODULE));
    state = policy_walk(table, state, module, strlen(module));
    const struct policy_rule *rule = policy_verdict(table, state);
    return rule == NULL ? NULL : &conf->routine.rule[rule - table->rules];
}

static bool is_kept(const struct conf_rule *rule)
{
    return rule != NULL && rule->action == POLICY_KEEP;
}

/* Longest first, and of the same length the last one of the map, as module_map_find() has it. */
static int compare_directories(const void *left, const void *right)
{
    const struct ruled_directory *a = left, *b = right;
    if (a->length != b->length)
        return a->length < b->length ? 1 : -1;
    return a->at < b->at ? 1 : -1;
}

/* Whether a directory above this one, which is shorter, is kept. */
static bool is_within_kept(const struct ruled_directory *all, size_t count, size_t which)
{
    for (size_t i = which + 1; i < count; i++) {
        size_t length = all[i].length;
        if (is_kept(all[i].rule) && strncmp(all[which].directory, all[i].directory, length) == 0 &&
            all[which].directory[length] == '/')
            return true;
    }
    return false;
}

static struct ruled_directory ruled_directory(size_t at, const char *directory,
                                              const struct conf_rule *rule)
{
    size_t length = strlen(directory);
    while (length > 0 && directory[length - 1] == '/')
        length--;
    return (struct ruled_directory){at, length, directory, rule};
}

/* Each directory by its real path and, where that is another one, as the map has it: the loader has
 * the paths of libraries as they were given. */
static int rule_directories(const struct conf *conf, const struct policy_table *table,
                            const struct module_map *map, struct conf_rules *rules)
{
    CLEANUP_FREE struct ruled_directory *all = calloc(2 * map->count + 1, sizeof *all);
    size_t count = 0;
    if (all == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < map->count; i++) {
        const struct module_entry *entry = &map->entry[i];
        const struct conf_rule *rule = rule_of(conf, table, entry->module);
        if (entry->directory == NULL)
            continue;
        all[count++] = ruled_directory(i, entry->directory, rule);
        if (strcmp(entry->given, entry->directory) != 0)
            all[count++] = ruled_directory(i, entry->given, rule);
    }
    qsort(all, count, sizeof *all, compare_directories);
    static const struct conf_rule skip = {.action = POLICY_SKIP};
    int error = 0;
    for (size_t i = 0; error == 0 && i < count; i++) {
        const struct conf_rule *like = all[i].rule != NULL ? all[i].rule : &skip;
        if (is_kept(like) || is_within_kept(all, count, i))
            error = add_directory(rules, like, &all[i]);
    }
    return error;
}

static int add_all(const struct conf *conf, const struct policy_table *table,
                   const struct module_map *map, struct conf_rules *rules)
{
    int error = 0;
    for (size_t i = 0; error == 0 && i < conf->routine.count; i++)
        error = conf_rules_append(rules, &conf->routine.rule[i]);
    return error == 0 ? rule_directories(conf, table, map, rules) : error;
}

/* The rules of [routines], in their order, and behind them one for each directory of which they
 * designate the module. A directory within such a one that is of a module which is not designated
 * gets a rule that skips it: a library is of the module of the longest directory. Each has the line
 * of the rule that decides, or none. Where the map cannot be read, no directory has a rule. */
static int make_rules(const struct conf *conf, const struct policy_table *table,
                      struct conf_rules *made, struct conf_error *why)
{
    const struct conf_rule *first = routine_modules_rule(conf);
    struct module_map map = {NULL, 0};
    if (first == NULL)
        return 0;
    if (conf->link_modules[0] == '\0') {
        why->line = first->line;
        why->column = first->column;
        snprintf(why->reason, sizeof why->reason, "a module, and no map of modules");
        snprintf(why->hint, sizeof why->hint,
                 "set [link] modules to the map of libraries to modules");
        return -EINVAL;
    }
    if (module_map_load(conf->link_modules, &map) == -ENOMEM)
        return -ENOMEM;
    int error = add_all(conf, table, &map, made);
    module_map_free(&map);
    return error;
}

static int check_pattern(const char *pattern, struct conf_fault *fault)
{
    static const char *const kinds[] = {"soname:", "path:", ROUTINE_MODULE, "archive:", "routine:"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(pattern, kinds[i], strlen(kinds[i])) == 0)
            return 0;
    return conf_fault(fault, 0, "a pattern of no kind",
                      "start with soname:, path:, module:, archive: or routine:");
}

const struct conf_part conf_part_routines = {.check_pattern = check_pattern,
                                             .make_rules = make_rules};
