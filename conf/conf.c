/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The lines of jobtrail.conf, as libinih parses them: each is checked, and what it gives taken.
 * What libinih would accept silently is refused: a line that is too long, which it splits; a line
 * that starts with blanks, which continues the line before; text after a [section]; and an unknown
 * section, even when it is empty.
 */
#include "conf/conf.h"

#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/text.h"
#include "conf/base/trusted.h"
#include "conf/conf_extension.h"
#include "conf/conf_keys.h"
#include "conf/conf_rules.h"
#include "conf/conf_sampling.h"
#include "conf/conf_transport.h"
#include "conf/policy/policy_open.h"
#include "conf/redact.h"

struct conf_loader {
    bool is_trusted; /* root refuses a file that others can change */
    FILE *stream;
    struct conf *conf;
    struct conf_error why;
    int error;  /* 0 or -errno of the first refusal; nothing is read after it */
    char *text; /* the line as it is in the file */
    size_t room;
    unsigned line;
};

/* Refuses the line just read, with the place `column`, from 1, and a reason. Returns -EINVAL. */
__attribute__((format(printf, 3, 4))) static int refuse(struct conf_loader *loader, size_t column,
                                                        const char *format, ...)
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

static void advise(struct conf_loader *loader, const char *text)
{
    snprintf(loader->why.hint, sizeof loader->why.hint, "%s", text);
}

/* Notes an error that is about the file as a whole. Returns `error`. */
static int give_up(struct conf_loader *loader, int error)
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

#define BLANKS " \t\r\n\f\v"

static int check_section(struct conf_loader *loader, const char *text)
{
    char name[64];
    const char *end = strchr(text, ']');
    if (end == NULL) {
        refuse(loader, 1, "no ']' after the section's name");
        advise(loader, "write [SECTION]");
        return loader->error;
    }
    snprintf(name, sizeof name, "%.*s", (int)(end - text - 1), text + 1);
    if (!has_section(name)) {
        refuse(loader, 2, "unknown section '%s'", name);
        advise(loader, "jobtrail.conf(5) lists them");
        return loader->error;
    }
    end += 1 + strspn(end + 1, BLANKS);
    if (*end != '\0' && *end != ';' && *end != '#') {
        refuse(loader, (size_t)(end - text) + 1, "text after the section's name");
        advise(loader, "write it on a line of its own");
    }
    return loader->error;
}

/* Refuses the line just read where libinih would misread it. libinih takes `limit` bytes of a line,
 * the NUL included. */
static int check_line(struct conf_loader *loader, size_t length, size_t limit)
{
    const char *text = loader->text;
    if (strlen(text) != length) {
        refuse(loader, strlen(text) + 1, "a NUL byte");
        advise(loader, "this is not a text file");
    } else if (length >= limit) {
        refuse(loader, limit - 1, "line too long");
        snprintf(loader->why.hint, sizeof loader->why.hint,
                 "at most %zu bytes; split a pattern into several rules", limit - 2);
    } else if (strchr(BLANKS, text[0]) != NULL && text[strspn(text, BLANKS)] != '\0') {
        refuse(loader, 1, "the line starts with blanks");
        advise(loader, "a line cannot be continued; start it in the first column");
    } else if (text[0] == '[') {
        check_section(loader, text);
    }
    return loader->error;
}

/* libinih's reader: like fgets(), but refuses lines that libinih would read otherwise than they are
 * meant. */
static char *read_line(char *buffer, int size, void *user)
{
    struct conf_loader *loader = user;
    if (loader->error != 0)
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
        return give_up(loader, error);
    refuse(loader, value_column(loader) + fault->offset, "%s", fault->reason);
    advise(loader, fault->hint);
    return error;
}

static int store_key(struct conf_loader *loader, int index, const char *value)
{
    unsigned *first_line = &loader->conf->key_line[index];
    struct conf_fault fault = {0};
    if (*first_line != 0) {
        refuse(loader, 1, "the key '%s' is given twice", conf_keys[index].name);
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
        refuse(loader, rule.column, "an empty pattern");
        advise(loader, "write what the whole text must match, or remove the line");
        return loader->error;
    }
    if (separator != NULL) {
        refuse(loader, (size_t)(separator - loader->text) + 1, "a ';' after a blank");
        advise(loader, "it starts a comment; write PATH;ARGUMENT without blanks, and a "
                       "comment on a line of its own");
        return loader->error;
    }
    struct conf_fault fault = {0};
    if (check_pattern(list, value, &fault) != 0)
        return refuse_value(loader, &fault, -EINVAL);
    int error = conf_list_append(list, loader->conf, &rule);
    return error == 0 ? 0 : give_up(loader, error);
}

/* libinih has cut the value at a ';' that follows a blank. Without a blank behind it it may be
 * meant, in the paths and patterns of a section with lines. */
static int refuse_comment(struct conf_loader *loader)
{
    size_t at = strcspn(loader->text, "=:");
    for (; loader->text[at] != '\0'; at++)
        if (loader->text[at] == ';' && isspace((unsigned char)loader->text[at - 1]) &&
            !isspace((unsigned char)loader->text[at + 1])) {
            refuse(loader, at + 1, "a ';' after a blank");
            advise(loader,
                   "it starts a comment; write '; ' for one, and in a pattern ? for this sign");
            return loader->error;
        }
    return 0;
}

/* libinih's handler: takes a key's value. Returns non-zero for success. */
static int take_line(void *user, const char *section, const char *name, const char *value)
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
        refuse(loader, 1, "the key '%.64s' is in no section", name);
    else
        refuse(loader, 1, "unknown key '%.64s' in [%.32s]", name, section);
    advise(loader,
           section[0] == '\0' ? "write a [SECTION] line above it" : "jobtrail.conf(5) lists them");
    return 0;
}

static int parse_file(struct conf_loader *loader)
{
    int error = ini_parse_stream(read_line, loader, take_line, loader);
    if (loader->error != 0)
        return loader->error;
    if (error < 0)
        return give_up(loader, -ENOMEM);
    if (error == 0)
        return 0;
    loader->line = (unsigned)error;
    refuse(loader, 1, "neither a comment, a [SECTION] nor KEY = VALUE");
    advise(loader, "start a comment with '#'");
    return loader->error;
}

/* `path` made absolute, malloc'ed; symbolic links stay as they are. */
static char *absolute_path(const char *path)
{
    char *text = NULL;
    if (path[0] == '/')
        return strdup(path);
    CLEANUP_FREE char *here = getcwd(NULL, 0);
    if (here == NULL || asprintf(&text, "%s/%s", here, path) < 0)
        return NULL;
    return text;
}

static FILE *open_trusted(struct conf_loader *loader)
{
    char culprit[PATH_MAX];
    int fd = trusted_open(loader->conf->path, culprit, sizeof culprit);
    FILE *stream = fd < 0 ? NULL : fdopen(fd, "r");
    if (fd >= 0 && stream == NULL)
        close(fd);
    if (stream != NULL)
        return stream;
    give_up(loader, fd < 0 ? fd : -errno);
    if (fd == -EPERM) {
        snprintf(loader->why.reason, sizeof loader->why.reason,
                 "root does not use it: others can change %.180s", culprit);
        advise(loader, "give it to root, writable by root alone");
    }
    return NULL;
}

static FILE *open_file(const char *path, struct conf_loader *loader)
{
    if (loader->is_trusted)
        return open_trusted(loader);
    FILE *stream = fopen(path, "re");
    if (stream == NULL)
        give_up(loader, -errno);
    return stream;
}

/* What no line alone shows: a transport that lacks what it cannot do without, or that would send a
 * token or password in clear text to another host; directories of logs that lie in each other; a
 * socket for nobody.
 * Returns 0 or -EINVAL. */
static int check_whole(struct conf_loader *loader)
{
    const struct conf *conf = loader->conf;
    const struct conf_transport *lacking = conf_transport_lacking(conf);
    const char *key, *other, *section = conf_clash(conf, &key, &other);
    if (lacking != NULL) {
        loader->line = conf->key_line[conf_key_find("transport", "use")];
        refuse(loader, 1, "the transport %s has no %s", lacking->name, lacking->needs);
        snprintf(loader->why.hint, sizeof loader->why.hint, "write %s = %s in [%s]", lacking->needs,
                 lacking->example, lacking->name);
    } else if (conf_transport_is_clear(conf)) {
        loader->line = conf->key_line[conf_key_find("http", "url")];
        refuse(loader, 1, "a token or password would be sent in clear text");
        advise(loader, "write url = https://...; http:// to this host is fine");
    } else if (section != NULL) {
        loader->line = conf->key_line[conf_key_find(section, key)];
        refuse(loader, 1, "'%s' and '%s' must be separate directories", key, other);
        advise(loader, "name a directory of its own");
    } else if (conf->web_socket[0] != '\0' && conf->web_proxy_user[0] == '\0') {
        loader->line = conf->key_line[conf_key_find("answers", "web_socket")];
        refuse(loader, 1, "web_socket needs web_proxy_user");
        advise(loader, "write web_proxy_user = NAME in [answers], the user of the web server");
    }
    return loader->error;
}

static int load_file(const char *path, struct conf_loader *loader)
{
    struct conf_fault fault = {0};
    const struct conf_key *key = NULL;
    int error = conf_keys_default(loader->conf, &key, &fault);
    if (error == -EINVAL) {
        refuse(loader, 0, "built-in default of %s in [%s]: %s", key->name, key->section,
               fault.reason);
        advise(loader, fault.hint);
    } else if (error != 0) {
        give_up(loader, error);
    }
    if (error != 0)
        return error;
    loader->conf->path = absolute_path(path);
    if (loader->conf->path == NULL)
        return give_up(loader, -errno);
    CLEANUP_FCLOSE FILE *stream = open_file(path, loader);
    if (stream == NULL)
        return loader->error;
    loader->stream = stream;
    error = parse_file(loader);
    if (error != 0)
        return error;
    error = check_whole(loader);
    if (error != 0)
        return error;
    error = conf_lists_default(loader->conf);
    if (error == 0)
        error = conf_tables_default(loader->conf);
    return error == 0 ? 0 : give_up(loader, error);
}

static int load_new(const char *path, bool is_trusted, struct conf *out, struct conf_error *why)
{
    struct conf conf = {0};
    struct conf_loader loader = {.conf = &conf, .is_trusted = is_trusted};
    snprintf(loader.why.file, sizeof loader.why.file, "%s", path);
    int error = load_file(path, &loader);
    free(loader.text);
    if (error != 0) {
        *why = loader.why;
        conf_free(&conf);
        return error;
    }
    *out = conf;
    return 0;
}

int conf_load(const char *path, struct conf *out, struct conf_error *why)
{
    return load_new(path, false, out, why);
}

int conf_load_trusted(const char *path, struct conf *out, struct conf_error *why)
{
    return load_new(path, true, out, why);
}

void conf_free(struct conf *conf)
{
    free(conf->path);
    conf_keys_free(conf);
    conf_lists_free(conf);
    conf_tables_free(conf);
    conf_lines_free(conf);
    *conf = (struct conf){0};
}

void conf_error_text(const struct conf_error *why, char *text, size_t size)
{
    char where[32] = "", file[TERMINAL_WORD_SIZE];
    const char *open = why->hint[0] != '\0' ? " (" : "";
    const char *close = why->hint[0] != '\0' ? ")" : "";
    if (why->line != 0 && why->column != 0)
        snprintf(where, sizeof where, "%u:%u:", why->line, why->column);
    else if (why->line != 0)
        snprintf(where, sizeof where, "%u:", why->line);
    snprintf(text, size, "%s:%s %s%s%s%s", terminal_word(why->file, file), where, why->reason, open,
             why->hint, close);
}

char *conf_policy_path(const char *path)
{
    size_t size = strlen(path) + sizeof ".policy" JOB_FORMATS_SUFFIX;
    char *text = malloc(size);
    if (text != NULL)
        policy_path(path, text, size); /* it fits */
    return text;
}
