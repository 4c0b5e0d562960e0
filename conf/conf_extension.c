/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/conf_extension.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/grow.h"
#include "conf/conf_keys.h"
#include "conf/conf_rules.h"
#include "extensions.h"

#define BLANKS " \t"

static const struct extension extensions[] = {
    {"libraries", "libraries", JOBTRAIL_LIBRARIES,
     JOBTRAIL_LIBRARIES ? &conf_part_libraries : NULL},
    {"routines", "routines", JOBTRAIL_ROUTINES, JOBTRAIL_ROUTINES ? &conf_part_routines : NULL},
    {"profile", "profiles", JOBTRAIL_PROFILE, NULL},
    {"witness", "the kernel witness", JOBTRAIL_WITNESS, NULL},
    {"answers", "answers", JOBTRAIL_ANSWERS, NULL},
};

#define EXTENSIONS (sizeof extensions / sizeof *extensions)

const struct conf_part *conf_part_find(const char *section)
{
    for (size_t i = 0; i < EXTENSIONS; i++)
        if (strcmp(extensions[i].name, section) == 0)
            return extensions[i].part;
    return NULL;
}

/* Rules of [profile], which the installed file has, ask for nothing. One key of [tracking] is about
 * routines. */
static bool is_given(const struct conf *conf, const char *section)
{
    if (conf->count_routines && strcmp(section, "routines") == 0)
        return true;
    const struct conf_list *list = conf_list_find(section);
    const struct conf_rules *rules = list == NULL ? NULL : conf_list_rules(list, conf);
    if (rules != NULL && strcmp(section, "profile") != 0 && rules->count > 0 &&
        rules->rule[0].line > 0)
        return true;
    for (size_t i = 0; i < CONF_KEYS; i++)
        if (conf->key_line[i] > 0 && strcmp(conf_keys[i].section, section) == 0)
            return true;
    for (size_t i = 0; i < CONF_LINES; i++)
        if (strcmp(conf_lines_keys[i].section, section) == 0 &&
            conf_lines_of(&conf_lines_keys[i], conf)->count > 0)
            return true;
    return false;
}

bool conf_is_left_out(const char *section)
{
    for (size_t i = 0; i < EXTENSIONS; i++)
        if (strcmp(extensions[i].name, section) == 0)
            return !extensions[i].is_built;
    return false;
}

const struct extension *conf_left_out(const struct conf *conf, size_t *at)
{
    while (*at < EXTENSIONS) {
        const struct extension *extension = &extensions[(*at)++];
        if (!extension->is_built && is_given(conf, extension->name))
            return extension;
    }
    return NULL;
}

const char *conf_clash(const struct conf *conf, const char **key, const char **other)
{
    for (size_t i = 0; i < EXTENSIONS; i++) {
        const struct conf_part *part = extensions[i].part;
        if (part != NULL && part->clash != NULL && part->clash(conf, key, other))
            return extensions[i].name;
    }
    return NULL;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

#define CONF_KEY(...)
#define CONF_LINES_KEY(section, name, field, has_name)                                             \
    {section, name, offsetof(struct conf, field), has_name},

const struct conf_lines_key conf_lines_keys[CONF_LINES] = {
#include "conf/conf_settings.def"
};

const struct conf_lines_key *conf_lines_find(const char *section, const char *name)
{
    for (size_t i = 0; i < CONF_LINES; i++)
        if (strcmp(conf_lines_keys[i].section, section) == 0 &&
            (name == NULL || strcmp(conf_lines_keys[i].name, name) == 0))
            return &conf_lines_keys[i];
    return NULL;
}

const struct conf_lines *conf_lines_of(const struct conf_lines_key *key, const struct conf *conf)
{
    return (const struct conf_lines *)(const void *)((const char *)conf + key->offset);
}

static int check_line(const struct conf_lines_key *key, const struct conf *conf, const char *text,
                      struct conf_fault *fault)
{
    const struct conf_part *part = conf_part_find(key->section);
    return part == NULL || part->check_line == NULL ? 0 : part->check_line(key, conf, text, fault);
}

int conf_lines_append(const struct conf_lines_key *key, struct conf *conf, const char *text,
                      unsigned line, struct conf_fault *fault)
{
    struct conf_lines *lines = (struct conf_lines *)conf_lines_of(key, conf);
    int error = check_line(key, conf, text, fault);
    if (error != 0)
        return error;
    size_t length = key->has_name ? strcspn(text, BLANKS) : 0;
    const char *rest = text + length;
    struct conf_line new = {strndup(text, length), strdup(rest + strspn(rest, BLANKS)), line};
    if (new.name == NULL || new.text == NULL || GROW(lines->line, lines->count) != 0) {
        free(new.name);
        free(new.text);
        return -ENOMEM;
    }
    lines->line[lines->count++] = new;
    return 0;
}

void conf_line_print(const struct conf_line *line, char *text, size_t size)
{
    snprintf(text, size, "%s%s%s", line->name, line->name[0] == '\0' ? "" : " ", line->text);
}

void conf_lines_free(struct conf *conf)
{
    for (size_t i = 0; i < CONF_LINES; i++) {
        const struct conf_lines *lines = conf_lines_of(&conf_lines_keys[i], conf);
        for (size_t k = 0; k < lines->count; k++) {
            free(lines->line[k].name);
            free(lines->line[k].text);
        }
        free(lines->line);
    }
}
