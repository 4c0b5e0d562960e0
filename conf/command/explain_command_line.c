/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/command/explain.h"
#include "conf/redact.h"

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
            printf("taken out by the built-in rule '%s'\n", text_of(rule, "rule"));
        else
            printf("taken out by '%s' (%s:%s)\n", text_of(rule, "rule"), explain->file,
                   text_of(rule, "line"));
    }
    json_object_put(json);
    return 0;
}
