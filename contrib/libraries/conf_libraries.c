/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/conf_libraries.h"

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

#include "conf/base/directory.h"
#include "conf/conf_extension.h"
#include "conf/conf_value.h"
#include "contrib/libraries/globs.h"

#define BLANKS " \t"

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

/* Of the patterns that begin at `at` of the value. */
static int check_ends(const char *text, const char *at, struct conf_fault *fault)
{
    const char *wrong = globs_fault(at);
    return wrong == NULL ? 0
                         : conf_fault(fault, (size_t)(wrong - text), "a pattern without an end",
                                      "close '[' by ']'; write \\[ for the sign itself");
}

/* A name and a pattern. */
static int check_pair(const char *text, struct conf_fault *fault)
{
    size_t length = strcspn(text, BLANKS);
    const char *pattern = text + length + strspn(text + length, BLANKS);
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && (strchr("_-.+", text[i]) == NULL))
            return conf_fault(fault, i, "not a name",
                              "letters, digits, '_', '-', '.' and '+' only");
    if (length == 0 || text[0] == '.')
        return conf_fault(fault, 0, "no name", "write a NAME and a PATTERN");
    if (*pattern == '\0')
        return conf_fault(fault, length, "no pattern", "write a NAME and a PATTERN");
    return check_ends(text, pattern, fault);
}

static int check_line(const struct conf_lines_key *key, const struct conf *conf, const char *text,
                      struct conf_fault *fault)
{
    return key->has_name ? check_pair(text, fault) : check_tree(conf, text, fault);
}

/* Patterns for names of files, with blanks between; or nothing. */
static int check_globs_or_none(const char *text, struct conf_fault *fault)
{
    if (strchr(text, '/') != NULL)
        return conf_fault(fault, strcspn(text, "/"), "a '/' in a pattern for names of files",
                          "write patterns as *.so; directories are a tree's or a name's");
    return check_ends(text, text, fault);
}

static int check_globs(const char *text, struct conf_fault *fault)
{
    if (text[strspn(text, " \t")] == '\0')
        return conf_fault(fault, 0, "no pattern", "write patterns as *.so, with blanks between");
    return check_globs_or_none(text, fault);
}

/* Users, and groups with an '@' before them, with blanks between; or nothing. */
static int check_owners(const char *text, struct conf_fault *fault)
{
    for (const char *at = text; *at != '\0'; at++) {
        bool is_first = at == text || isblank((unsigned char)at[-1]);
        bool is_sign = strchr(is_first ? "_@." : "_.-$\\+ \t", *at) != NULL;
        bool is_bare = *at == '@' && (at[1] == '\0' || isblank((unsigned char)at[1]));
        if (is_bare || (!isalnum((unsigned char)*at) && !is_sign && !isblank((unsigned char)*at)))
            return conf_fault(fault, (size_t)(at - text), "no name of a user or group",
                              "write USER or @GROUP, with blanks between");
    }
    return 0;
}

const struct conf_kind conf_value_globs = {.form = CONF_TEXT, .check = check_globs};
const struct conf_kind conf_value_globs_or_none = {.form = CONF_TEXT, .check = check_globs_or_none};
const struct conf_kind conf_value_owners = {.form = CONF_TEXT, .check = check_owners};

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

/* Whether the directory of a key of logs, from the key `first` on, and that of one before it are
 * one or lie in each other: who may write lines to the one would write them into the other. */
static bool clash_from(size_t first, const struct conf *conf,
                       bool (*is_in)(const char *one, const char *other), const char **key,
                       const char **other)
{
    static const char *const keys[] = {"logs", "use_logs", "log_dir"};
    const char *const paths[] = {conf->library_logs, conf->library_use_logs, conf->library_log_dir};
    for (size_t i = first; i < sizeof keys / sizeof *keys; i++)
        for (size_t k = 0; k < i; k++) {
            if (paths[i][0] == '\0' || paths[k][0] == '\0' || !is_in(paths[i], paths[k]))
                continue;
            *key = keys[i];
            *other = keys[k];
            return true;
        }
    return false;
}

static bool clash(const struct conf *conf, const char **key, const char **other)
{
    return clash_from(1, conf, is_one_in_other, key, other);
}

static bool is_in_on_disk(const char *one, const char *other)
{
    return directory_is_in(other, one) || directory_is_in(one, other);
}

const char *conf_library_log_dir_is_in(const struct conf *conf)
{
    const char *key, *other;
    return clash_from(2, conf, is_in_on_disk, &key, &other) ? other : NULL;
}

const struct conf_part conf_part_libraries = {.check_line = check_line, .clash = clash};

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
