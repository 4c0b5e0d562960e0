/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/base/text.h"
#include "conf/command/command.h"
#include "conf/command/explain.h"
#include "conf/compile.h"

/* ---- Lines of standard input ----------------------------------------------------------------- */

/* Many texts at once: one a line in, one JSON object a line out. */

/* Where a line is split at tabs. */
struct line_fields {
    char **field; /* owned; its strings are in the line */
    int count;
};

static int split_fields(char *line, struct line_fields *fields)
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

static int explain_path(const struct explain *explain, const struct line_fields *fields)
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
                        struct line_fields *fields)
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

/* Prints what decides about each line of `stream`, as explain_json() has it: for the list of paths,
 * an absolute path and its arguments, separated by tabs; for another list, a text. Returns 0, or
 * -EINVAL (the path of line `*number`, from 1, is not absolute), -ENOMEM, -EIO. */
static int explain_lines(const struct explain *explain, const struct conf_list *list, FILE *stream,
                         unsigned long *number)
{
    CLEANUP_FREE char *line = NULL;
    struct line_fields fields = {0};
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

/* ---- Words of the command line --------------------------------------------------------------- */

/* Prints a verdict, or adds it to the array `all`. */
static void print_verdict(const struct explain *explain, const struct explain_verdict *verdict,
                          struct json_object *all)
{
    if (all != NULL)
        json_object_array_add(all, explain_json(explain, verdict));
    else
        explain_print(explain, verdict);
}

static void print_text(const struct explain *explain, const char *section, const char *text,
                       struct json_object *all)
{
    if (text == NULL)
        return;
    struct explain_verdict verdict = explain_text(explain, conf_list_find(section), text);
    print_verdict(explain, &verdict, all);
}

static int print_process(const struct explain *explain, const struct options *options,
                         struct json_object *all)
{
    struct explain_process process;
    if (options->args_count == 0)
        return 0;
    int error = explain_process(explain, options->args_count, options->args, &process);
    if (error != 0)
        return error;
    print_verdict(explain, &process.path, all);
    if (process.argument.list != NULL)
        print_verdict(explain, &process.argument, all);
    explain_process_free(&process);
    return 0;
}

static int print_command_line(const struct explain *explain, const struct options *options,
                              struct json_object *all)
{
    if (all == NULL)
        return explain_command_line_print(explain, options->args_count, options->args);
    struct json_object *json =
        explain_command_line_json(explain, options->args_count, options->args);
    json_object_array_add(all, json);
    return json == NULL ? -ENOMEM : 0;
}

static const char *file_of(const struct explain_file *file, const struct options *options)
{
    return *(const char *const *)(const void *)((const char *)options + file->option);
}

static enum exit_status explain_options(const struct explain *explain,
                                        const struct options *options)
{
    struct json_object *all = options->json ? json_object_new_array() : NULL;
    print_text(explain, "hosts", options->host, all);
    if ((options->command_line ? print_command_line : print_process)(explain, options, all) != 0) {
        fprintf(stderr, "jobtrail-conf: out of memory\n");
        return STATUS_REFUSED;
    }
    print_text(explain, "environment", options->env, all);
    for (size_t i = 0; i < EXPLAIN_FILES; i++) {
        const char *path = file_of(&explain_files[i], options);
        int error = path == NULL ? 0 : explain_files[i].explain(explain, path, all);
        if (error == 0)
            continue;
        char word[TERMINAL_WORD_SIZE];
        fprintf(stderr, "jobtrail-conf: %s %s: %s\n", explain_files[i].name,
                terminal_word(path, word), strerror(-error));
        json_object_put(all);
        return STATUS_REFUSED;
    }
    return options->json ? command_print_json(all) : STATUS_OK;
}

static enum exit_status explain_stdin(const struct explain *explain, const struct options *options)
{
    unsigned long number;
    int error = explain_lines(explain, conf_list_find(options->lines), stdin, &number);
    if (error == 0)
        return STATUS_OK;
    fflush(stdout);
    if (error == -EINVAL)
        fprintf(stderr, "jobtrail-conf: line %lu: the path must be absolute\n", number);
    else
        fprintf(stderr, "jobtrail-conf: line %lu: %s\n", number, strerror(-error));
    return STATUS_REFUSED;
}

static bool are_files_usable(const struct options *options)
{
    for (size_t i = 0; i < EXPLAIN_FILES; i++) {
        const struct explain_file *file = &explain_files[i];
        const char *path = file_of(file, options);
        if (path == NULL || (file->explain != NULL && path[0] == '/'))
            continue;
        if (file->explain == NULL)
            fprintf(stderr, "jobtrail-conf: %s: this jobtrail is built without %s\n", file->name,
                    file->extension);
        else
            fprintf(stderr, "jobtrail-conf: the FILE of %s must be absolute\n", file->name);
        return false;
    }
    return true;
}

static bool is_usable(const struct options *options)
{
    const char *problem = NULL;
    bool is_asked = options->args_count > 0 || options->command_line || options->host != NULL ||
                    options->env != NULL || options->library != NULL || options->routines != NULL;
    if (options->lines != NULL && is_asked)
        problem = "--stdin goes with --conf and --json only";
    else if (options->lines != NULL && conf_list_find(options->lines) == NULL)
        problem = "--stdin takes a section with rules, for example hosts";
    else if (options->lines == NULL && !is_asked)
        problem = "explain what? Give a PATH, --host, --env, --library, --routines or "
                  "--stdin";
    else if (options->command_line && options->args_count == 0)
        problem = "--command-line takes the COMMAND and its arguments behind it";
    else if (options->args_count > 0 && options->args[0][0] != '/' && !options->command_line)
        problem = "PATH must be absolute, as the rules see it";
    if (problem != NULL)
        fprintf(stderr, "jobtrail-conf: %s\n", problem);
    return problem == NULL && are_files_usable(options);
}

enum exit_status command_explain(const struct options *options)
{
    struct conf conf;
    struct conf_error why;
    CLEANUP_FREE void *policy = NULL;
    size_t size;
    if (!is_usable(options))
        return STATUS_USAGE;
    if (conf_load(options->conf, &conf, &why) != 0)
        return command_refused(&why);
    enum exit_status status = STATUS_OK;
    if (compile_policy(&conf, &policy, &size, &why) == 0) {
        struct explain explain = {&conf, policy, options->conf};
        status = options->lines != NULL ? explain_stdin(&explain, options)
                                        : explain_options(&explain, options);
    } else {
        status = command_refused(&why);
    }
    conf_free(&conf);
    return status;
}
