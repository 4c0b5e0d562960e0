/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/record/command_line.h"

#include <stdlib.h>
#include <string.h>

#include "conf/base/text.h"
#include "submit/record/json_add.h"

/* Of an ancestor's arguments the rules see so much; the preload library keeps less. */
enum { ANCESTOR_MAX = 4 << 10 };

void command_lines_make(const struct conf *conf, const void *policy, struct command_lines *lines)
{
    *lines = (struct command_lines){.policy = policy};
    lines->wanted = (enum policy_command_line)conf->command_line;
    redactor_make(policy, &lines->redactor);
}

static struct capture_bytes first_of(struct capture_bytes argv)
{
    size_t first = argv.at == NULL ? 0 : strnlen(argv.at, argv.size);
    argv.size = first < argv.size ? first + 1 : argv.size;
    return argv;
}

/* `make` of the text without what is taken out. */
static struct json_object *redacted(const struct command_lines *lines, struct capture_bytes text,
                                    struct json_object *(*make)(struct capture_bytes))
{
    char *out = NULL;
    size_t size;
    int changed = redact(&lines->redactor, text.at, text.size, &out, &size);
    if (changed < 0)
        return NULL;
    struct json_object *made =
        make(changed ? (struct capture_bytes){.at = out, .size = size} : text);
    free(out);
    return made;
}

struct json_object *command_line_json(const struct command_lines *lines, struct capture_bytes argv)
{
    if (lines->wanted == POLICY_LINE_NO)
        return json_object_new_array();
    return redacted(lines, lines->wanted == POLICY_LINE_YES ? argv : first_of(argv), json_strings);
}

/* By the texts of arguments: of the directory in which a relative name was given nothing is known
 * here. The process that captured the line has looked for the files. */
static int left_out(const struct command_lines *lines, struct capture_bytes path,
                    struct capture_bytes argv)
{
    char line[ANCESTOR_MAX + 1];
    size_t size = argv.at == NULL ? 0 : argv.size < ANCESTOR_MAX ? argv.size : ANCESTOR_MAX;
    if (lines->policy == NULL)
        return 0;
    if (size > 0)
        memcpy(line, argv.at, size);
    line[size] = '\0';
    return policy_skips_line(lines->policy, path.at, path.at == NULL ? 0 : path.size, line, size,
                             NULL);
}

struct json_object *command_line_of_ancestor(const struct command_lines *lines,
                                             struct capture_bytes path, struct capture_bytes argv)
{
    if (lines->wanted == POLICY_LINE_YES && left_out(lines, path, argv))
        argv = first_of(argv);
    return command_line_json(lines, argv);
}

struct json_object *command_line_text(const struct command_lines *lines, struct capture_bytes text)
{
    return redacted(lines, text, json_bytes);
}

static void add_variable(struct json_object *table, struct capture_bytes entry)
{
    const char *equals = entry.size == 0 ? NULL : memchr(entry.at, '=', entry.size);
    size_t length;
    char *name =
        equals == NULL ? NULL : text_from_bytes(entry.at, (size_t)(equals - entry.at), &length);
    if (name != NULL)
        json_object_object_add(
            table, name,
            json_bytes((struct capture_bytes){
                .at = equals + 1, .size = (size_t)(entry.at + entry.size - equals - 1)}));
    free(name);
}

/* Each by itself: one variable does not introduce what the next one holds. */
struct json_object *command_line_variables(const struct command_lines *lines,
                                           struct capture_bytes env)
{
    struct json_object *table = json_object_new_object();
    const char *end = env.at == NULL ? NULL : env.at + env.size;
    for (const char *at = env.at; table != NULL && at < end;) {
        struct capture_bytes entry = {.at = at, .size = strnlen(at, (size_t)(end - at))};
        char *out = NULL;
        size_t size;
        at += entry.size + 1;
        int changed = redact(&lines->redactor, entry.at, entry.size, &out, &size);
        if (changed >= 0)
            add_variable(table, changed ? (struct capture_bytes){.at = out, .size = size} : entry);
        free(out);
    }
    return table;
}
