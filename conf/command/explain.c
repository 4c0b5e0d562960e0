/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/command/explain.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/policy/policy_read.h"

const struct conf_rule *explain_source(const struct explain *explain, const struct conf_list *list,
                                       const struct policy_rule *rule)
{
    const struct conf_rules *rules = conf_list_rules(list, explain->conf);
    uint32_t count;
    const struct policy_rule *first = policy_rules(explain->policy, list->which, &count);
    if (rule == NULL)
        return NULL;
    size_t index = (size_t)(rule - first);
    if (index < rules->count)
        return &rules->rule[index];
    /* of a directory of a module (conf/routine_modules.h), with the line of the module's rule */
    for (index = 0; index < rules->count; index++)
        if (rules->rule[index].line == rule->line)
            return &rules->rule[index];
    return NULL;
}

static struct explain_verdict verdict_of(const struct explain *explain,
                                         const struct conf_list *list, const char *text,
                                         const struct policy_rule *rule)
{
    struct explain_verdict verdict = {list, text, list->default_action,
                                      explain_source(explain, list, rule)};
    if (verdict.rule != NULL)
        verdict.action = verdict.rule->action;
    return verdict;
}

struct explain_verdict explain_text(const struct explain *explain, const struct conf_list *list,
                                    const char *text)
{
    const struct policy_rule *rule = policy_match(explain->policy, list->which, text, strlen(text));
    return verdict_of(explain, list, text, rule);
}

/* The real path of the file that an argument names, as the library finds it; malloc'ed, or NULL. */
static char *real_path(const char *argument)
{
    return argument[0] == '-' ? NULL : realpath(argument, NULL);
}

static uint32_t walk_file(const struct policy_files *files, const struct policy_table *table,
                          uint32_t state, const char *argument)
{
    CLEANUP_FREE char *path = real_path(argument);
    (void)files;
    return path == NULL ? POLICY_NO_FILE : policy_walk(table, state, path, strlen(path));
}

int explain_process(const struct explain *explain, int argc, char **argv,
                    struct explain_process *out)
{
    const struct conf_list *arguments = conf_list_find("arguments");
    struct explain_process found = {0};
    const struct policy_files files = {walk_file, 0};
    struct policy_decision decision =
        policy_decide(explain->policy, argv[0], strlen(argv[0]), argc, argv, &files);
    found.path = verdict_of(explain, conf_list_find("paths"), argv[0], decision.path);
    if (found.path.action == POLICY_CUSTOM) {
        const char *argument = decision.index == 0 ? "" : argv[decision.index];
        CLEANUP_FREE char *path = real_path(argument);
        if (asprintf(&found.text, "%s;%s", argv[0], path == NULL ? argument : path) < 0)
            return -ENOMEM;
        found.argument = verdict_of(explain, arguments, found.text, decision.argument);
        found.argument.action = decision.action;
    }
    *out = found;
    return 0;
}

void explain_process_free(struct explain_process *process)
{
    free(process->text);
}

void explain_print(const struct explain *explain, const struct explain_verdict *verdict)
{
    const struct conf_rule *rule = verdict->rule;
    printf("%s: %s", verdict->text, conf_action_name(verdict->action));
    if (rule == NULL)
        printf(", as no rule in [%s] %s\n", verdict->list->section,
               verdict->list->which == POLICY_ARGUMENT ? "decides" : "matches");
    else if (conf_rule_is_system_tools(explain->conf, rule))
        printf(", as it is one of the system's small tools; [tracking] system_tools = yes records "
               "them, and a 'keep' in [paths] this one\n");
    else if (rule->line == 0)
        printf(", by the built-in rule '%s'\n", rule->pattern);
    else
        printf(", by '%s' (%s:%u)\n", rule->pattern, explain->file, rule->line);
}

struct json_object *explain_json(const struct explain *explain,
                                 const struct explain_verdict *verdict)
{
    const struct conf_rule *rule = verdict->rule;
    int in_file = rule != NULL && rule->line != 0;
    struct json_object *json = json_object_new_object();
    json_object_object_add(json, "section", json_object_new_string(verdict->list->section));
    json_object_object_add(json, "text", json_object_new_string(verdict->text));
    json_object_object_add(json, "action",
                           json_object_new_string(conf_action_name(verdict->action)));
    const char *pattern = rule == NULL ? NULL : rule->pattern;
    if (rule != NULL && conf_rule_is_system_tools(explain->conf, rule))
        pattern = "system_tools"; /* its pattern has hundreds of names */
    json_object_object_add(json, "rule", pattern == NULL ? NULL : json_object_new_string(pattern));
    json_object_object_add(json, "file", in_file ? json_object_new_string(explain->file) : NULL);
    json_object_object_add(json, "line", in_file ? json_object_new_int64(rule->line) : NULL);
    return json;
}
