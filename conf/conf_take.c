/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/conf_loader.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "conf/conf_hint.h"
#include "conf/conf_keys.h"
#include "conf/conf_libraries.h"
#include "conf/conf_rules.h"
#include "conf/conf_sampling.h"
#include "conf/redact.h"

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

/* What is wrong with a pattern of [redact], and where; NULL: nothing. */
static const char *redact_fault(const char *pattern, size_t *at, const char **hint)
{
    static const unsigned lower = 1u << REDACT_BEFORE | 1u << REDACT_URL | 1u << REDACT_BLOCK;
    int kind = 0;
    while (kind < REDACT_KINDS &&
           strncmp(pattern, redact_kinds[kind], strlen(redact_kinds[kind])) != 0)
        kind++;
    *at = 0;
    *hint = "start with name:, option:, before:, word:, url: or block:";
    if (kind == REDACT_KINDS)
        return "a pattern of no kind";
    *hint = "write it in lower case, as it is matched";
    for (; (lower >> kind & 1u) != 0 && pattern[*at] != '\0'; ++*at)
        if (isupper((unsigned char)pattern[*at]))
            return "an upper-case letter";
    return NULL;
}

/* The same of a pattern of [routines]. */
static const char *routine_fault(const char *pattern, size_t *at, const char **hint)
{
    static const char *const kinds[] = {"soname:", "path:", "module:", "archive:", "routine:"};
    *at = 0;
    *hint = "start with soname:, path:, module:, archive: or routine:";
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(pattern, kinds[i], strlen(kinds[i])) == 0)
            return NULL;
    return "a pattern of no kind";
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
    if (list->which == POLICY_REDACT)
        fault.reason = redact_fault(value, &fault.offset, &fault.hint);
    else if (list->which == POLICY_ROUTINE)
        fault.reason = routine_fault(value, &fault.offset, &fault.hint);
    if (fault.reason != NULL)
        return refuse_value(loader, &fault, -EINVAL);
    int error = conf_list_append(list, loader->conf, &rule);
    return error == 0 ? 0 : conf_give_up(loader, error);
}

/* libinih has cut the value at a ';' that follows a blank. Without a blank behind it it may be
 * meant, in the paths and patterns of [libraries]. */
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
    const struct conf_library_key *library = conf_library_key_find(section, name);
    int key = conf_key_find(section, name);
    enum policy_action action = list != NULL ? conf_list_action(list, name) : POLICY_NONE;
    if (loader->error != 0 ||
        (strcmp(section, CONF_LIBRARIES_SECTION) == 0 && refuse_comment(loader) != 0))
        return 0;
    if (key >= 0)
        return store_key(loader, key, value) == 0;
    if (table != NULL || library != NULL) {
        struct conf_fault fault = {0};
        int error = table != NULL
                        ? conf_table_append(table, loader->conf, value, loader->line, &fault)
                        : conf_library_append(library, loader->conf, value, loader->line, &fault);
        return error == 0 || refuse_value(loader, &fault, error) == 0;
    }
    if (action != POLICY_NONE)
        return store_rule(loader, list, action, value) == 0;
    if (*section == '\0')
        conf_refuse(loader, 1, "the key '%.64s' is in no section", name);
    else
        conf_refuse(loader, 1, "unknown key '%.64s' in [%.32s]", name, section);
    conf_hint_key(section, name, loader->why.hint, sizeof loader->why.hint);
    return 0;
}
