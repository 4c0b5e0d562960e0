/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/command/explain_lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"

/* Where a line is split_fields at tabs. */
struct fields {
    char **field; /* owned; its strings are in the line */
    int count;
};

static int split_fields(char *line, struct fields *fields)
{
    size_t room = 1;
    for (const char *tab = strchr(line, '\t'); tab != NULL; tab = strchr(tab + 1, '\t'))
        room++;
    char **grown = reallocarray(fields->field, room, sizeof *grown);
    if (grown == NULL)
        return -ENOMEM;
    fields->field = grown;
    fields->count = 0;
    for (char *at = line; at != NULL;)
        fields->field[fields->count++] = strsep(&at, "\t");
    return 0;
}

static int print_json(struct json_object *json)
{
    const char *text = json_object_to_json_string_ext(json, JSON_C_TO_STRING_PLAIN |
                                                                JSON_C_TO_STRING_NOSLASHESCAPE);
    int error = text == NULL ? -ENOMEM : puts(text) < 0 ? -EIO : 0;
    json_object_put(json);
    return error;
}

static int explain_path(const struct explain *explain, const struct fields *fields)
{
    struct explain_process process;
    int error = explain_process(explain, fields->count, fields->field, &process);
    if (error != 0)
        return error;
    error = print_json(
        explain_json(explain, process.argument.list != NULL ? &process.argument : &process.path));
    explain_process_free(&process);
    return error;
}

static int explain_line(const struct explain *explain, const struct conf_list *list, char *line,
                        struct fields *fields)
{
    if (list->which != POLICY_PATH) {
        struct explain_verdict verdict = explain_text(explain, list, line);
        return print_json(explain_json(explain, &verdict));
    }
    if (line[0] != '/')
        return -EINVAL;
    int error = split_fields(line, fields);
    return error == 0 ? explain_path(explain, fields) : error;
}

int explain_lines(const struct explain *explain, const struct conf_list *list, FILE *stream,
                  unsigned long *number)
{
    CLEANUP_FREE char *line = NULL;
    struct fields fields = {0};
    size_t room = 0;
    ssize_t length;
    int error = 0;
    *number = 0;
    while (error == 0 && (length = getline(&line, &room, stream)) >= 0) {
        ++*number;
        if (length > 0 && line[length - 1] == '\n')
            line[length - 1] = '\0';
        error = explain_line(explain, list, line, &fields);
    }
    free(fields.field);
    return error == 0 && ferror(stream) ? -EIO : error;
}
