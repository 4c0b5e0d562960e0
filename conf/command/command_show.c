/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The text form is itself a valid jobtrail.conf: marks such as "default" are comments.
 */
#include "conf/command/command.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "conf/conf_extension.h"
#include "conf/conf_keys.h"
#include "conf/conf_rules.h"
#include "conf/conf_sampling.h"

#define VALUE_MAX 256 /* no line of the file is longer, nor any default */

/* Below the keys of the section. */
static void show_lines(const char *section, const struct conf *conf)
{
    for (size_t i = 0; i < CONF_LINES; i++) {
        const struct conf_lines_key *key = &conf_lines_keys[i];
        const struct conf_lines *lines = conf_lines_of(key, conf);
        for (size_t k = 0; k < lines->count && strcmp(key->section, section) == 0; k++) {
            char value[VALUE_MAX];
            conf_line_print(&lines->line[k], value, sizeof value);
            printf("%s = %s\n", key->name, value);
        }
    }
}

/* Below the keys of [sampling], which come last. */
static void show_table(const struct conf_table *table, const struct conf *conf)
{
    const struct conf_intervals *intervals = conf_table_intervals(table, conf);
    for (size_t i = 0; i < intervals->count; i++) {
        char value[VALUE_MAX];
        const struct conf_interval *interval = &intervals->interval[i];
        conf_interval_print(interval, value, sizeof value);
        printf("%s = %s%s\n", table->name, value, interval->line == 0 ? " ; default" : "");
    }
}

static bool is_beside(const struct conf_list *list, const struct conf_rule *rule)
{
    return rule->line == 0 && (list->which == POLICY_REDACT || list->which == POLICY_ARGUMENT ||
                               rule->action == POLICY_CUSTOM);
}

/* Built-in rules of [redact], and the system's tools, hold beside those of the file. They are shown
 * as comments: as rules of the file they would hold twice. */
static void show_list(const struct conf_list *list, const struct conf *conf)
{
    const struct conf_rules *rules = conf_list_rules(list, conf);
    printf("\n[%s]\n", list->section);
    if (list->which == POLICY_ARGUMENT && (rules->count == 0 || rules->rule[0].line == 0))
        printf("# no rules: what is custom is skipped\n");
    else if (rules->count == 0)
        printf("# no rules: %s all\n", conf_action_name(list->default_action));
    else if (rules->rule[0].line == 0)
        printf("# default\n");
    for (size_t i = 0; i < rules->count; i++) {
        const struct conf_rule *rule = &rules->rule[i];
        if (!conf_rule_is_system_tools(conf, rule)) {
            printf("%s%s = %s\n", is_beside(list, rule) ? "#" : "", conf_action_name(rule->action),
                   rule->pattern);
            continue;
        }
        printf("# [tracking] system_tools = no\n");
        for (size_t tool = 0; system_tools[tool] != NULL; tool++)
            printf("#%s = %s\n", conf_action_name(POLICY_SKIP), system_tools[tool]);
    }
}

/* The object of that name in `parent`, made when it is not there yet. */
static struct json_object *section_object(struct json_object *parent, const char *name)
{
    struct json_object *found;
    if (json_object_object_get_ex(parent, name, &found))
        return found;
    found = json_object_new_object();
    json_object_object_add(parent, name, found);
    return found;
}

static void add_table(struct json_object *all, const struct conf_table *table,
                      const struct conf *conf)
{
    const struct conf_intervals *intervals = conf_table_intervals(table, conf);
    struct json_object *array = json_object_new_array();
    for (size_t i = 0; i < intervals->count; i++) {
        char value[VALUE_MAX];
        const struct conf_interval *interval = &intervals->interval[i];
        struct json_object *json = json_object_new_object();
        conf_interval_print(interval, value, sizeof value);
        json_object_object_add(json, "value", json_object_new_string(value));
        json_object_object_add(json, "default", json_object_new_boolean(interval->line == 0));
        json_object_array_add(array, json);
    }
    json_object_object_add(section_object(all, CONF_SAMPLING_SECTION), table->name, array);
}

static void add_lines(struct json_object *all, const struct conf_lines_key *key,
                      const struct conf *conf)
{
    const struct conf_lines *lines = conf_lines_of(key, conf);
    struct json_object *array = json_object_new_array();
    for (size_t i = 0; i < lines->count; i++) {
        char value[VALUE_MAX];
        conf_line_print(&lines->line[i], value, sizeof value);
        json_object_array_add(array, json_object_new_string(value));
    }
    json_object_object_add(section_object(all, key->section), key->name, array);
}

static void add_list(struct json_object *all, const struct conf_list *list, const struct conf *conf)
{
    const struct conf_rules *rules = conf_list_rules(list, conf);
    struct json_object *array = json_object_new_array();
    for (size_t i = 0; i < rules->count; i++) {
        const struct conf_rule *rule = &rules->rule[i];
        struct json_object *json = json_object_new_object();
        json_object_object_add(json, "action",
                               json_object_new_string(conf_action_name(rule->action)));
        json_object_object_add(json, "pattern", json_object_new_string(rule->pattern));
        json_object_object_add(json, "default", json_object_new_boolean(rule->line == 0));
        json_object_array_add(array, json);
    }
    json_object_object_add(all, list->section, array);
}

static enum exit_status show_json(const struct conf *conf)
{
    struct json_object *all = json_object_new_object();
    for (size_t i = 0; i < CONF_KEYS; i++) {
        char value[VALUE_MAX];
        const struct conf_key *key = &conf_keys[i];
        struct json_object *json = json_object_new_object();
        conf_key_print(key, conf, value, sizeof value);
        json_object_object_add(json, "value", json_object_new_string(value));
        json_object_object_add(json, "default", json_object_new_boolean(conf->key_line[i] == 0));
        json_object_object_add(section_object(all, key->section), key->name, json);
    }
    for (size_t i = 0; i < CONF_LINES; i++)
        add_lines(all, &conf_lines_keys[i], conf);
    for (size_t i = 0; i < CONF_TABLES; i++)
        add_table(all, &conf_tables[i], conf);
    for (size_t i = 0; i < CONF_LISTS; i++)
        add_list(all, &conf_lists[i], conf);
    return command_print_json(all);
}

static enum exit_status show_text(const struct conf *conf)
{
    const char *section = "";
    for (size_t i = 0; i < CONF_KEYS; i++) {
        char value[VALUE_MAX];
        const struct conf_key *key = &conf_keys[i];
        bool is_new = strcmp(section, key->section) != 0;
        if (is_new)
            show_lines(section, conf);
        if (is_new)
            printf("%s[%s]\n", *section == '\0' ? "" : "\n", key->section);
        section = key->section;
        conf_key_print(key, conf, value, sizeof value);
        printf("%s = %s%s\n", key->name, value, conf->key_line[i] == 0 ? " ; default" : "");
    }
    for (size_t i = 0; i < CONF_TABLES; i++)
        show_table(&conf_tables[i], conf);
    for (size_t i = 0; i < CONF_LISTS; i++)
        show_list(&conf_lists[i], conf);
    return STATUS_OK;
}

enum exit_status command_show(const struct options *options)
{
    struct conf conf;
    struct conf_error why;
    if (conf_load(options->conf, &conf, &why) != 0)
        return command_refused(&why);
    enum exit_status status = options->json ? show_json(&conf) : show_text(&conf);
    conf_free(&conf);
    return status;
}
