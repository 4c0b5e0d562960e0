/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/command/explain.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/policy/policy_read.h"
#include "conf/redact.h"

/* The rule of the configuration that `rule` of the policy was compiled from; NULL for NULL. */
static const struct conf_rule *explain_source(const struct explain *explain,
                                              const struct conf_list *list,
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
    /* made by an extension (conf_extension.h), with the line of the rule that it was made of */
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

/* ---- Command lines --------------------------------------------------------------------------- */

/* Collects the rules by which something is taken out. */
struct hidden {
    const struct explain *explain;
    struct json_object *rules;
};

static void add_hiding_rule(void *context, const struct policy_rule *rule)
{
    const struct hidden *hidden = context;
    const struct explain_verdict verdict = {
        .list = conf_list_find("redact"),
        .text = "",
        .action = POLICY_HIDE,
        .rule = explain_source(hidden->explain, conf_list_find("redact"), rule),
    };
    struct json_object *json = explain_json(hidden->explain, &verdict);
    json_object_object_del(json, "text");
    json_object_array_add(hidden->rules, json);
}

/* Each argument with a NUL after it, malloc'ed; NULL when out of memory. */
static char *join_arguments(int argc, char **argv, size_t *size)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, size);
    if (stream == NULL)
        return NULL;
    for (int i = 0; i < argc; i++)
        fwrite(argv[i], 1, strlen(argv[i]) + 1, stream);
    if (fclose(stream) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

static struct json_object *json_arguments(const char *text, size_t size)
{
    struct json_object *array = json_object_new_array();
    for (size_t at = 0; at < size; at += strlen(text + at) + 1)
        json_object_array_add(array, json_object_new_string(text + at));
    return array;
}

/* How many arguments are recorded. */
static int recorded_arguments(const struct explain *explain, int argc)
{
    switch (policy_command_line(explain->policy)) {
    case POLICY_LINE_YES:
        return argc;
    case POLICY_LINE_PROGRAM:
        return 1;
    default:
        return 0;
    }
}

struct json_object *explain_command_line_json(const struct explain *explain, int argc, char **argv)
{
    struct hidden hidden = {explain, json_object_new_array()};
    struct redactor redactor;
    size_t size, out_size;
    CLEANUP_FREE char *text = join_arguments(recorded_arguments(explain, argc), argv, &size),
                      *out = NULL;
    redactor_make(explain->policy, &redactor);
    redactor.note = add_hiding_rule;
    redactor.context = &hidden;
    int changed = text == NULL ? -ENOMEM : redact(&redactor, text, size, &out, &out_size);
    if (changed < 0) {
        json_object_put(hidden.rules);
        return NULL;
    }
    struct json_object *json = json_object_new_object();
    json_object_object_add(json, "section", json_object_new_string("redact"));
    json_object_object_add(json, "command_line",
                           changed ? json_arguments(out, out_size) : json_arguments(text, size));
    json_object_object_add(json, "rules", hidden.rules);
    return json;
}

static const char *text_of(struct json_object *json, const char *key)
{
    return json_object_get_string(json_object_object_get(json, key));
}

int explain_command_line_print(const struct explain *explain, int argc, char **argv)
{
    struct json_object *json = explain_command_line_json(explain, argc, argv);
    if (json == NULL)
        return -ENOMEM;
    struct json_object *rules = json_object_object_get(json, "rules");
    printf("recorded: %s\n",
           json_object_to_json_string_ext(json_object_object_get(json, "command_line"),
                                          JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
    for (size_t i = 0; i < json_object_array_length(rules); i++) {
        struct json_object *rule = json_object_array_get_idx(rules, i);
        if (text_of(rule, "line") == NULL)
            printf("redacted by the built-in rule '%s'\n", text_of(rule, "rule"));
        else
            printf("redacted by '%s' (%s:%s)\n", text_of(rule, "rule"), explain->file,
                   text_of(rule, "line"));
    }
    json_object_put(json);
    return 0;
}
