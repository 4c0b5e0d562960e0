/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * libinih parses the lines. What it would do silently is refused before it sees a line: too long a
 * line, which it splits; a line that starts with blanks, which continues the one before; text after
 * a [section]; and a section that nobody knows, even when it is empty.
 */
#include "conf.h"

#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "conf_hint.h"
#include "conf_keys.h"
#include "conf_rules.h"
#include "policy_path.h"

#define BLANKS " \t\r\n\f\v"

struct loader {
    FILE *stream;
    struct conf *conf;
    struct conf_error error;
    int rc;     /* of the first error; nothing is read after it */
    char *text; /* the line as it is in the file */
    size_t room;
    unsigned line;
};

/* Keeps the first error only. `column` counts from 1. */
__attribute__((format(printf, 3, 4))) static int refuse(struct loader *loader, size_t column,
                                                        const char *format, ...)
{
    va_list args;
    loader->rc = -EINVAL;
    loader->error.line = loader->line;
    loader->error.column = (unsigned)column;
    va_start(args, format);
    vsnprintf(loader->error.reason, sizeof loader->error.reason, format, args);
    va_end(args);
    return loader->rc;
}

static void hint(struct loader *loader, const char *text)
{
    snprintf(loader->error.hint, sizeof loader->error.hint, "%s", text);
}

/* An error that is about the file as a whole. */
static int give_up(struct loader *loader, int rc)
{
    loader->rc = rc;
    snprintf(loader->error.reason, sizeof loader->error.reason, "%s", strerror(-rc));
    return rc;
}

static int check_section(struct loader *loader, const char *text)
{
    char name[64];
    const char *end = strchr(text, ']');
    if (end == NULL) {
        refuse(loader, 1, "no ']' after the section's name");
        hint(loader, "write [SECTION]");
        return loader->rc;
    }
    snprintf(name, sizeof name, "%.*s", (int)(end - text - 1), text + 1);
    if (!conf_section_known(name)) {
        refuse(loader, 2, "unknown section '%s'", name);
        conf_hint_section(name, loader->error.hint, sizeof loader->error.hint);
        return loader->rc;
    }
    end += 1 + strspn(end + 1, BLANKS);
    if (*end != '\0' && *end != ';' && *end != '#') {
        refuse(loader, (size_t)(end - text) + 1, "text after the section's name");
        hint(loader, "write it on a line of its own");
    }
    return loader->rc;
}

/* Refuses the line just read where libinih, which takes `limit` bytes with the NUL, would err. */
static int check_line(struct loader *loader, size_t length, size_t limit)
{
    const char *text = loader->text;
    if (strlen(text) != length) {
        refuse(loader, strlen(text) + 1, "a NUL byte");
        hint(loader, "this is not a text file");
    } else if (length >= limit) {
        refuse(loader, limit - 1, "line too long");
        snprintf(loader->error.hint, sizeof loader->error.hint,
                 "at most %zu bytes; split a pattern into several rules", limit - 2);
    } else if (strchr(BLANKS, text[0]) != NULL && text[strspn(text, BLANKS)] != '\0') {
        refuse(loader, 1, "the line starts with blanks");
        hint(loader, "a line cannot be continued; start it in the first column");
    } else if (text[0] == '[') {
        check_section(loader, text);
    }
    return loader->rc;
}

/* libinih's reader: like fgets(), but only lines that check_line() has passed. */
static char *read_line(char *buffer, int size, void *user)
{
    struct loader *loader = user;
    if (loader->rc != 0)
        return NULL;
    errno = 0;
    ssize_t length = getline(&loader->text, &loader->room, loader->stream);
    if (length < 0) {
        if (!feof(loader->stream))
            give_up(loader, errno != 0 ? -errno : -EIO);
        return NULL;
    }
    loader->line++;
    if (check_line(loader, (size_t)length, (size_t)size) != 0)
        return NULL;
    memcpy(buffer, loader->text, (size_t)length + 1);
    return buffer;
}

/* Where in the line, from 1, the value starts. */
static size_t value_column(const struct loader *loader)
{
    size_t at = strcspn(loader->text, "=:");
    at += loader->text[at] != '\0';
    return at + strspn(loader->text + at, " \t") + 1;
}

static int take_key(struct loader *loader, int index, const char *value)
{
    unsigned *given = &loader->conf->key_line[index];
    struct conf_fault fault = {0};
    if (*given != 0) {
        refuse(loader, 1, "the key '%s' is given twice", conf_keys[index].name);
        snprintf(loader->error.hint, sizeof loader->error.hint, "remove it here or in line %u",
                 *given);
        return loader->rc;
    }
    int rc = conf_key_set(&conf_keys[index], loader->conf, value, &fault);
    if (rc == -EINVAL) {
        refuse(loader, value_column(loader) + fault.offset, "%s", fault.reason);
        hint(loader, fault.hint);
    } else if (rc != 0) {
        give_up(loader, rc);
    }
    *given = loader->line;
    return rc;
}

static int take_rule(struct loader *loader, const struct conf_list *list, enum policy_action action,
                     const char *value)
{
    struct conf_rule rule = {action, (char *)value, loader->line, (unsigned)value_column(loader)};
    if (*value == '\0') {
        refuse(loader, rule.column, "an empty pattern");
        hint(loader, "write what the whole text must match, or remove the line");
        return loader->rc;
    }
    int rc = conf_list_append(list, loader->conf, &rule);
    return rc == 0 ? 0 : give_up(loader, rc);
}

/* libinih's handler; returns non-zero for success. */
static int take(void *user, const char *section, const char *name, const char *value)
{
    struct loader *loader = user;
    const struct conf_list *list = conf_list_find(section);
    int key = conf_key_find(section, name);
    enum policy_action action = list != NULL ? conf_list_action(list, name) : POLICY_NONE;
    if (loader->rc != 0)
        return 0;
    if (key >= 0)
        return take_key(loader, key, value) == 0;
    if (action != POLICY_NONE)
        return take_rule(loader, list, action, value) == 0;
    if (*section == '\0')
        refuse(loader, 1, "the key '%.64s' is in no section", name);
    else
        refuse(loader, 1, "unknown key '%.64s' in [%.32s]", name, section);
    conf_hint_key(section, name, loader->error.hint, sizeof loader->error.hint);
    return 0;
}

static int parse(struct loader *loader)
{
    int rc = ini_parse_stream(read_line, loader, take, loader);
    if (loader->rc != 0)
        return loader->rc;
    if (rc < 0)
        return give_up(loader, -ENOMEM);
    if (rc == 0)
        return 0;
    loader->line = (unsigned)rc;
    refuse(loader, 1, "neither a comment, a [SECTION] nor KEY = VALUE");
    hint(loader, "start a comment with '#'");
    return loader->rc;
}

static int set_defaults(struct loader *loader)
{
    struct conf_fault fault = {0};
    const struct conf_key *key = NULL;
    int rc = conf_keys_default(loader->conf, &key, &fault);
    if (rc == -EINVAL) {
        refuse(loader, 0, "built-in default of %s in [%s]: %s", key->name, key->section,
               fault.reason);
        hint(loader, fault.hint);
    } else if (rc != 0) {
        give_up(loader, rc);
    }
    return rc;
}

/* `path` made absolute, malloc'ed; symbolic links stay as they are. */
static char *absolute(const char *path)
{
    char *text = NULL;
    if (path[0] == '/')
        return strdup(path);
    CLEANUP_FREE char *here = getcwd(NULL, 0);
    if (here == NULL || asprintf(&text, "%s/%s", here, path) < 0)
        return NULL;
    return text;
}

static int load(const char *path, struct loader *loader)
{
    int rc = set_defaults(loader);
    if (rc != 0)
        return rc;
    loader->conf->path = absolute(path);
    if (loader->conf->path == NULL)
        return give_up(loader, -errno);
    CLEANUP_FCLOSE FILE *stream = fopen(path, "re");
    if (stream == NULL)
        return give_up(loader, -errno);
    loader->stream = stream;
    rc = parse(loader);
    if (rc != 0)
        return rc;
    rc = conf_lists_default(loader->conf);
    return rc == 0 ? 0 : give_up(loader, rc);
}

int conf_load(const char *path, struct conf *out, struct conf_error *error)
{
    struct conf conf = {0};
    struct loader loader = {.conf = &conf};
    snprintf(loader.error.file, sizeof loader.error.file, "%s", path);
    int rc = load(path, &loader);
    free(loader.text);
    if (rc != 0) {
        *error = loader.error;
        conf_free(&conf);
        return rc;
    }
    *out = conf;
    return 0;
}

void conf_free(struct conf *conf)
{
    free(conf->path);
    conf_keys_free(conf);
    conf_lists_free(conf);
    *conf = (struct conf){0};
}

void conf_error_text(const struct conf_error *error, char *text, size_t size)
{
    char where[32] = "";
    const char *open = error->hint[0] != '\0' ? " (" : "";
    const char *close = error->hint[0] != '\0' ? ")" : "";
    if (error->line != 0 && error->column != 0)
        snprintf(where, sizeof where, "%u:%u:", error->line, error->column);
    else if (error->line != 0)
        snprintf(where, sizeof where, "%u:", error->line);
    snprintf(text, size, "%s:%s %s%s%s%s", error->file, where, error->reason, open, error->hint,
             close);
}

char *conf_policy_path(const char *path)
{
    size_t size = strlen(path) + sizeof ".policy";
    char *text = malloc(size);
    if (text != NULL)
        policy_path(path, text, size); /* it fits */
    return text;
}
