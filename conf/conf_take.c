/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What libinih would accept silently is refused: a line that is too long, which it splits; a line
 * that starts with blanks, which continues the line before; text after a [section]; and an unknown
 * section, even when it is empty.
 */
#include "conf/conf_take.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "conf/conf_extension.h"
#include "conf/conf_keys.h"
#include "conf/conf_rules.h"
#include "conf/conf_sampling.h"
#include "conf/redact.h"

int conf_refuse(struct conf_loader *loader, size_t column, const char *format, ...)
{
    va_list args;
    loader->error = -EINVAL;
    loader->why.line = loader->line;
    loader->why.column = (unsigned)column;
    va_start(args, format);
    vsnprintf(loader->why.reason, sizeof loader->why.reason, format, args);
    va_end(args);
    return loader->error;
}

void conf_refuse_hint(struct conf_loader *loader, const char *text)
{
    snprintf(loader->why.hint, sizeof loader->why.hint, "%s", text);
}

int conf_give_up(struct conf_loader *loader, int error)
{
    loader->error = error;
    snprintf(loader->why.reason, sizeof loader->why.reason, "%s", strerror(-error));
    return error;
}

static bool has_section(const char *section)
{
    bool is_known = conf_list_find(section) != NULL;
    for (size_t i = 0; i < CONF_KEYS && !is_known; i++)
        is_known = strcmp(conf_keys[i].section, section) == 0;
    return is_known;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

#define BLANKS " \t\r\n\f\v"

static int check_section(struct conf_loader *loader, const char *text)
{
    char name[64];
    const char *end = strchr(text, ']');
    if (end == NULL) {
        conf_refuse(loader, 1, "no ']' after the section's name");
        conf_refuse_hint(loader, "write [SECTION]");
        return loader->error;
    }
    snprintf(name, sizeof name, "%.*s", (int)(end - text - 1), text + 1);
    if (!has_section(name)) {
        conf_refuse(loader, 2, "unknown section '%s'", name);
        conf_refuse_hint(loader, "jobtrail.conf(5) lists them");
        return loader->error;
    }
    end += 1 + strspn(end + 1, BLANKS);
    if (*end != '\0' && *end != ';' && *end != '#') {
        conf_refuse(loader, (size_t)(end - text) + 1, "text after the section's name");
        conf_refuse_hint(loader, "write it on a line of its own");
    }
    return loader->error;
}

/* Refuses the line just read where libinih would misread it. libinih takes `limit` bytes of a line,
 * the NUL included. */
static int check_line(struct conf_loader *loader, size_t length, size_t limit)
{
    const char *text = loader->text;
    if (strlen(text) != length) {
        conf_refuse(loader, strlen(text) + 1, "a NUL byte");
        conf_refuse_hint(loader, "this is not a text file");
    } else if (length >= limit) {
        conf_refuse(loader, limit - 1, "line too long");
        snprintf(loader->why.hint, sizeof loader->why.hint,
                 "at most %zu bytes; split a pattern into several rules", limit - 2);
    } else if (strchr(BLANKS, text[0]) != NULL && text[strspn(text, BLANKS)] != '\0') {
        conf_refuse(loader, 1, "the line starts with blanks");
        conf_refuse_hint(loader, "a line cannot be continued; start it in the first column");
    } else if (text[0] == '[') {
        check_section(loader, text);
    }
    return loader->error;
}

char *conf_line_read(char *buffer, int size, void *user)
{
    struct conf_loader *loader = user;
    if (loader->error != 0)
        return NULL;
    errno = 0;
    ssize_t length = getline(&loader->text, &loader->room, loader->stream);
    if (length < 0) {
        if (!feof(loader->stream))
            conf_give_up(loader, errno != 0 ? -errno : -EIO);
        return NULL;
    }
    loader->line++;
    if (check_line(loader, (size_t)length, (size_t)size) != 0)
        return NULL;
    memcpy(buffer, loader->text, (size_t)length + 1);
    return buffer;
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* Where in the line, from 1, the value starts. */
static size_t value_column(const struct conf_loader *loader)
{
    size_t at = strcspn(loader->text, "=:");
    at += loader->text[at] != '\0';
    return at + strspn(loader->text + at, " \t") + 1;
}

/* Notes why a value was refused. Returns `error`. */
static int refuse_value(struct conf_loader *loader, const struct conf_fault *fault, int error)
{
    if (error != -EINVAL)
        return conf_give_up(loader, error);
    conf_refuse(loader, value_column(loader) + fault->offset, "%s", fault->reason);
    conf_refuse_hint(loader, fault->hint);
    return error;
}

static int store_key(struct conf_loader *loader, int index, const char *value)
{
    unsigned *first_line = &loader->conf->key_line[index];
    struct conf_fault fault = {0};
    if (*first_line != 0) {
        conf_refuse(loader, 1, "the key '%s' is given twice", conf_keys[index].name);
        snprintf(loader->why.hint, sizeof loader->why.hint, "remove it here or in line %u",
                 *first_line);
        return loader->error;
    }
    int error = conf_key_set(&conf_keys[index], loader->conf, value, &fault);
    if (error != 0)
        return refuse_value(loader, &fault, error);
    *first_line = loader->line;
    return 0;
}

/* The ';' of an argument rule that has ended up in a comment, as it follows a blank; or NULL. */
static const char *lost_separator(const struct conf_loader *loader, const struct conf_list *list,
                                  const char *value)
{
    if (list->which != POLICY_ARGUMENT || strchr(value, ';') != NULL)
        return NULL;
    return strchr(loader->text, ';');
}

static int check_redact(const char *pattern, struct conf_fault *fault)
{
    static const unsigned lower = 1u << REDACT_BEFORE | 1u << REDACT_URL | 1u << REDACT_BLOCK;
    int kind = 0;
    while (kind < REDACT_KINDS &&
           strncmp(pattern, redact_kinds[kind], strlen(redact_kinds[kind])) != 0)
        kind++;
    if (kind == REDACT_KINDS)
        return conf_fault(fault, 0, "a pattern of no kind",
                          "start with name:, option:, before:, word:, url: or block:");
    for (size_t at = 0; (lower >> kind & 1u) != 0 && pattern[at] != '\0'; at++)
        if (isupper((unsigned char)pattern[at]))
            return conf_fault(fault, at, "an upper-case letter",
                              "write it in lower case, as it is matched");
    return 0;
}

static int check_pattern(const struct conf_list *list, const char *pattern,
                         struct conf_fault *fault)
{
    const struct conf_part *part = conf_part_find(list->section);
    if (part != NULL && part->check_pattern != NULL)
        return part->check_pattern(pattern, fault);
    return list->which == POLICY_REDACT ? check_redact(pattern, fault) : 0;
}

static int store_rule(struct conf_loader *loader, const struct conf_list *list,
                      enum policy_action action, const char *value)
{
    struct conf_rule rule = {action, (char *)value, loader->line, (unsigned)value_column(loader)};
    const char *separator = lost_separator(loader, list, value);
    if (*value == '\0') {
        conf_refuse(loader, rule.column, "an empty pattern");
        conf_refuse_hint(loader, "write what the whole text must match, or remove the line");
        return loader->error;
    }
    if (separator != NULL) {
        conf_refuse(loader, (size_t)(separator - loader->text) + 1, "a ';' after a blank");
        conf_refuse_hint(loader, "it starts a comment; write PATH;ARGUMENT without blanks, and a "
                                 "comment on a line of its own");
        return loader->error;
    }
    struct conf_fault fault = {0};
    if (check_pattern(list, value, &fault) != 0)
        return refuse_value(loader, &fault, -EINVAL);
    int error = conf_list_append(list, loader->conf, &rule);
    return error == 0 ? 0 : conf_give_up(loader, error);
}

/* libinih has cut the value at a ';' that follows a blank. Without a blank behind it it may be
 * meant, in the paths and patterns of a section with lines. */
static int refuse_comment(struct conf_loader *loader)
{
    size_t at = strcspn(loader->text, "=:");
    for (; loader->text[at] != '\0'; at++)
        if (loader->text[at] == ';' && isspace((unsigned char)loader->text[at - 1]) &&
            !isspace((unsigned char)loader->text[at + 1])) {
            conf_refuse(loader, at + 1, "a ';' after a blank");
            conf_refuse_hint(
                loader,
                "it starts a comment; write '; ' for one, and in a pattern ? for this sign");
            return loader->error;
        }
    return 0;
}

int conf_line_take(void *user, const char *section, const char *name, const char *value)
{
    struct conf_loader *loader = user;
    const struct conf_list *list = conf_list_find(section);
    const struct conf_table *table = conf_table_find(section, name);
    const struct conf_lines_key *lines = conf_lines_find(section, name);
    int key = conf_key_find(section, name);
    enum policy_action action = list != NULL ? conf_list_action(list, name) : POLICY_NONE;
    if (loader->error != 0 ||
        (conf_lines_find(section, NULL) != NULL && refuse_comment(loader) != 0))
        return 0;
    if (key >= 0)
        return store_key(loader, key, value) == 0;
    if (table != NULL || lines != NULL) {
        struct conf_fault fault = {0};
        int error = table != NULL
                        ? conf_table_append(table, loader->conf, value, loader->line, &fault)
                        : conf_lines_append(lines, loader->conf, value, loader->line, &fault);
        return error == 0 || refuse_value(loader, &fault, error) == 0;
    }
    if (action != POLICY_NONE)
        return store_rule(loader, list, action, value) == 0;
    if (*section == '\0')
        conf_refuse(loader, 1, "the key '%.64s' is in no section", name);
    else
        conf_refuse(loader, 1, "unknown key '%.64s' in [%.32s]", name, section);
    conf_refuse_hint(loader, section[0] == '\0' ? "write a [SECTION] line above it"
                                                : "jobtrail.conf(5) lists them");
    return 0;
}
