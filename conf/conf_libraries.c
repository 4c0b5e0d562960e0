/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/conf_libraries.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/directory.h"
#include "conf/base/globs.h"
#include "conf/base/grow.h"

#define FIELD(name) offsetof(struct conf, name)
#define BLANKS      " \t"

const struct conf_library_key conf_library_keys[CONF_LIBRARY_LINES] = {
    {"tree", FIELD(library_trees), false},
    {"name", FIELD(library_names), true},
    {"group", FIELD(library_groups), true},
};

const struct conf_library_key *conf_library_key_find(const char *section, const char *name)
{
    if (strcmp(section, CONF_LIBRARIES_SECTION) != 0)
        return NULL;
    for (size_t i = 0; i < CONF_LIBRARY_LINES; i++)
        if (strcmp(conf_library_keys[i].name, name) == 0)
            return &conf_library_keys[i];
    return NULL;
}

static struct conf_lines *lines_of(const struct conf_library_key *key, struct conf *conf)
{
    return (struct conf_lines *)(void *)((char *)conf + key->offset);
}

const struct conf_lines *conf_library_lines(const struct conf_library_key *key,
                                            const struct conf *conf)
{
    return (const struct conf_lines *)(const void *)((const char *)conf + key->offset);
}

/* Whether the path is the directory or lies below it. */
static bool is_below(const char *path, const char *directory)
{
    size_t length = strlen(directory);
    return strncmp(path, directory, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

/* A path as the kernel has it: paths are compared byte by byte. */
static int check_tree(const struct conf *conf, const char *text, struct conf_fault *fault)
{
    size_t length = strlen(text);
    if (text[0] != '/')
        return conf_fault(fault, 0, "not an absolute path", "start with '/'");
    if (length == 1)
        return conf_fault(fault, 0, "the whole system", "name the directories with libraries");
    if (text[strcspn(text, "*?[")] != '\0')
        return conf_fault(fault, strcspn(text, "*?["), "a pattern, but trees have none",
                          "name each directory in a line of its own");
    for (size_t i = 0; i < length; i++) {
        size_t part = text[i] == '/' ? strcspn(text + i + 1, "/") : 1;
        if (iscntrl((unsigned char)text[i]))
            return conf_fault(fault, i, "a control character in a path", "remove it");
        if (text[i] == '/' && (part == 0 || (part == 1 && text[i + 1] == '.') ||
                               (part == 2 && strncmp(text + i + 1, "..", 2) == 0)))
            return conf_fault(fault, i, "not the directory's own path",
                              "without '//', '/.', '/..' and a '/' at the end");
    }
    for (size_t i = 0; i < conf->library_trees.count; i++) {
        const char *other = conf->library_trees.line[i].text;
        if (is_below(text, other) || is_below(other, text))
            return conf_fault(fault, 0, "a tree inside of another one", "name the outer one alone");
    }
    return 0;
}

/* The name's length in `*length`, and where the pattern begins in `*pattern`. */
static int check_pair(const char *text, size_t *length, const char **pattern,
                      struct conf_fault *fault)
{
    *length = strcspn(text, BLANKS);
    *pattern = text + *length + strspn(text + *length, BLANKS);
    for (size_t i = 0; i < *length; i++)
        if (!isalnum((unsigned char)text[i]) && (strchr("_-.+", text[i]) == NULL))
            return conf_fault(fault, i, "not a name",
                              "letters, digits, '_', '-', '.' and '+' only");
    if (*length == 0 || text[0] == '.')
        return conf_fault(fault, 0, "no name", "write a NAME and a PATTERN");
    if (**pattern == '\0')
        return conf_fault(fault, *length, "no pattern", "write a NAME and a PATTERN");
    const char *wrong = globs_fault(*pattern);
    if (wrong != NULL)
        return conf_fault(fault, (size_t)(wrong - text), "a pattern without an end",
                          "close '[' by ']'; write \\[ for the sign itself");
    return 0;
}

int conf_library_append(const struct conf_library_key *key, struct conf *conf, const char *text,
                        unsigned line, struct conf_fault *fault)
{
    struct conf_lines *lines = lines_of(key, conf);
    size_t length = 0;
    const char *pattern = text;
    int error =
        key->has_name ? check_pair(text, &length, &pattern, fault) : check_tree(conf, text, fault);
    if (error != 0)
        return error;
    struct conf_line new = {strndup(text, length), strdup(pattern), line};
    if (new.name == NULL || new.text == NULL || GROW(lines->line, lines->count) != 0) {
        free(new.name);
        free(new.text);
        return -ENOMEM;
    }
    lines->line[lines->count++] = new;
    return 0;
}

/* The begin of the path's next part but for "."; "": there is none. */
static const char *next_part(const char *path, size_t *length)
{
    do {
        path += strspn(path, "/");
        *length = strcspn(path, "/");
        if (*length != 1 || path[0] != '.')
            return path;
        path += *length;
    } while (true);
}

/* Whether one is the other, or lies in it. */
static bool is_one_in_other(const char *one, const char *other)
{
    for (;;) {
        size_t length, other_length;
        one = next_part(one, &length);
        other = next_part(other, &other_length);
        if (length == 0 || other_length == 0)
            return true;
        if (length != other_length || memcmp(one, other, length) != 0)
            return false;
        one += length;
        other += length;
    }
}

bool conf_libraries_clash(const struct conf *conf, const char **key, const char **other)
{
    static const char *const keys[] = {"logs", "use_logs", "log_dir"};
    const char *const paths[] = {conf->library_logs, conf->library_use_logs, conf->library_log_dir};
    for (size_t i = 1; i < sizeof keys / sizeof *keys; i++)
        for (size_t k = 0; k < i; k++) {
            if (paths[i][0] == '\0' || paths[k][0] == '\0' || !is_one_in_other(paths[i], paths[k]))
                continue;
            *key = keys[i];
            *other = keys[k];
            return true;
        }
    return false;
}

const char *conf_library_log_dir_is_in(const struct conf *conf)
{
    const char *const paths[] = {conf->library_logs, conf->library_use_logs};
    static const char *const keys[] = {"logs", "use_logs"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys && conf->library_log_dir[0] != '\0'; i++)
        if (paths[i][0] != '\0' && (directory_is_in(paths[i], conf->library_log_dir) ||
                                    directory_is_in(conf->library_log_dir, paths[i])))
            return keys[i];
    return NULL;
}

void conf_library_print(const struct conf_line *line, char *text, size_t size)
{
    snprintf(text, size, "%s%s%s", line->name, line->name[0] == '\0' ? "" : " ", line->text);
}

const struct conf_line *conf_library_tree(const struct conf *conf, const char *path)
{
    for (size_t i = 0; i < conf->library_trees.count; i++)
        if (is_below(path, conf->library_trees.line[i].text))
            return &conf->library_trees.line[i];
    return NULL;
}

static const struct conf_line *first_match(const struct conf_lines *lines, const char *text)
{
    for (size_t i = 0; i < lines->count; i++)
        if (fnmatch(lines->line[i].text, text, 0) == 0)
            return &lines->line[i];
    return NULL;
}

const struct conf_line *conf_library_name(const struct conf *conf, const char *path)
{
    return first_match(&conf->library_names, path);
}

const struct conf_line *conf_library_group(const struct conf *conf, const char *name)
{
    return first_match(&conf->library_groups, name);
}

void conf_libraries_free(struct conf *conf)
{
    for (size_t i = 0; i < CONF_LIBRARY_LINES; i++) {
        struct conf_lines *lines = lines_of(&conf_library_keys[i], conf);
        for (size_t k = 0; k < lines->count; k++) {
            free(lines->line[k].name);
            free(lines->line[k].text);
        }
        free(lines->line);
    }
}
