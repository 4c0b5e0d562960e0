/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "command.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "cleanup.h"
#include "compile.h"
#include "conf_rules.h"
#include "policy_read.h"

/* What the policy says about one text. */
struct verdict {
    const struct conf_list *list;
    const char *text;
    enum policy_action action;
    const struct conf_rule *rule; /* NULL: none matches */
};

static struct verdict decide(const struct conf *conf, const void *policy,
                             const struct conf_list *list, const char *text)
{
    struct verdict verdict = {list, text, list->otherwise, NULL};
    uint32_t count;
    const struct policy_rule *first = policy_rules(policy, list->which, &count);
    const struct policy_rule *found = policy_match(policy, list->which, text, strlen(text));
    if (found != NULL) {
        verdict.rule = &conf_list_rules(list, conf)->rule[found - first];
        verdict.action = verdict.rule->action;
    }
    return verdict;
}

static void print_text(const struct verdict *verdict, const char *file)
{
    const struct conf_rule *rule = verdict->rule;
    printf("%s: %s", verdict->text, conf_action_name(verdict->action));
    if (rule == NULL)
        printf(", as no rule in [%s] matches\n", verdict->list->section);
    else if (rule->line == 0)
        printf(", by the built-in rule '%s'\n", rule->pattern);
    else
        printf(", by '%s' (%s:%u)\n", rule->pattern, file, rule->line);
}

static struct json_object *as_json(const struct verdict *verdict, const char *file)
{
    const struct conf_rule *rule = verdict->rule;
    int in_file = rule != NULL && rule->line != 0;
    struct json_object *json = json_object_new_object();
    json_object_object_add(json, "section", json_object_new_string(verdict->list->section));
    json_object_object_add(json, "text", json_object_new_string(verdict->text));
    json_object_object_add(json, "action",
                           json_object_new_string(conf_action_name(verdict->action)));
    json_object_object_add(json, "rule",
                           rule == NULL ? NULL : json_object_new_string(rule->pattern));
    json_object_object_add(json, "file", in_file ? json_object_new_string(file) : NULL);
    json_object_object_add(json, "line", in_file ? json_object_new_int64(rule->line) : NULL);
    return json;
}

static int explain(const struct conf *conf, const void *policy, const struct options *options)
{
    const char *path = options->args_count > 0 ? options->args[0] : NULL;
    const char *const text[CONF_LISTS] = {options->host, path, options->env};
    struct json_object *all = options->json ? json_object_new_array() : NULL;
    for (size_t i = 0; i < CONF_LISTS; i++) {
        if (text[i] == NULL)
            continue;
        struct verdict verdict = decide(conf, policy, &conf_lists[i], text[i]);
        if (options->json)
            json_object_array_add(all, as_json(&verdict, options->conf));
        else
            print_text(&verdict, options->conf);
    }
    return options->json ? command_print_json(all) : STATUS_OK;
}

static int usable(const struct options *options)
{
    const char *problem = NULL;
    if (options->args_count == 0 && options->host == NULL && options->env == NULL)
        problem = "explain what? Give a PATH, --host or --env";
    else if (options->args_count > 0 && options->args[0][0] != '/')
        problem = "PATH must be absolute, as the rules see it";
    if (problem != NULL)
        fprintf(stderr, "jobtrail-conf: %s\n", problem);
    return problem == NULL;
}

int command_explain(const struct options *options)
{
    struct conf conf;
    struct conf_error error;
    CLEANUP_FREE void *policy = NULL;
    size_t size;
    if (!usable(options))
        return STATUS_USAGE;
    if (conf_load(options->conf, &conf, &error) != 0)
        return command_refused(&error);
    int status = compile_policy(&conf, &policy, &size, &error) == 0
                     ? explain(&conf, policy, options)
                     : command_refused(&error);
    conf_free(&conf);
    return status;
}
