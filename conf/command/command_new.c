/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a version of jobtrail has brought that the site's file does not name: printed as lines for
 * that file, commented out.
 */
#include "conf/command/command.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/base/whole_file.h"
#include "conf/conf_keys.h"
#include "conf/conf_libraries.h"
#include "conf/conf_rules.h"
#include "conf/conf_sampling.h"

#define FILE_MAX   (16u << 20)
#define BLANKS     " \t\r"
#define PARTS      3 /* of a version that are compared */
#define EVERYTHING "*"

struct news {
    const char *text;    /* of the site's file */
    const char *since;   /* NULL: whatever the version */
    const char *section; /* the last that was printed */
};

/* ---- Versions: of "1:0.2.1-3" the numbers 0, 2 and 1 ----------------------------------------- */

static const char *version_numbers(const char *version)
{
    const char *epoch = strchr(version, ':');
    return epoch == NULL ? version : epoch + 1;
}

static bool is_version(const char *version)
{
    return isdigit((unsigned char)version_numbers(version)[0]) != 0;
}

static bool is_later(const char *version, const char *than)
{
    char *a = (char *)version_numbers(version), *b = (char *)version_numbers(than);
    for (int i = 0; i < PARTS; i++) {
        unsigned long of_a = strtoul(a, &a, 10), of_b = strtoul(b, &b, 10);
        if (of_a != of_b)
            return of_a > of_b;
        /* Where a version ends, the rest is 0. */
        a += *a == '.' ? 1 : strlen(a);
        b += *b == '.' ? 1 : strlen(b);
    }
    return false;
}

/* ---- What the file names --------------------------------------------------------------------- */

/* The line without what makes it a comment: shipped files name each key in one. */
static const char *after_mark(const char *line)
{
    return line + strspn(line, BLANKS "#;");
}

static bool is_section(const char *line, const char *section)
{
    size_t length = strlen(section);
    return strncmp(line + 1, section, length) == 0 && line[1 + length] == ']';
}

static bool is_key(const char *line, const char *name)
{
    size_t length = strlen(name);
    if (strncmp(line, name, length) != 0)
        return false;
    line += length + strspn(line + length, BLANKS);
    return *line == '=';
}

/* Whether the text has the key `name` in the section, in a comment or not; with EVERYTHING, whether
 * it has the section. */
static bool names_key(const char *text, const char *section, const char *name)
{
    bool is_inside = false;
    while (text != NULL) {
        const char *line = after_mark(text);
        if (*line == '[')
            is_inside = is_section(line, section);
        if (is_inside && (strcmp(name, EVERYTHING) == 0 || is_key(line, name)))
            return true;
        text = strchr(text, '\n');
        text = text == NULL ? NULL : text + 1;
    }
    return false;
}

/* ---- What is printed ------------------------------------------------------------------------- */

static bool is_news(const struct news *news, const char *section, const char *name,
                    const char *since)
{
    return (news->since == NULL || is_later(since, news->since)) &&
           !names_key(news->text, section, name);
}

static void print_section(struct news *news, const char *section)
{
    if (news->section == NULL || strcmp(news->section, section) != 0)
        printf("%s[%s]\n", news->section == NULL ? "" : "\n", section);
    news->section = section;
}

static void print_library_lines(struct news *news)
{
    for (size_t i = 0; i < CONF_LIBRARY_LINES; i++) {
        const struct conf_library_key *key = &conf_library_keys[i];
        if (!is_news(news, CONF_LIBRARIES_SECTION, key->name, key->since))
            continue;
        print_section(news, CONF_LIBRARIES_SECTION);
        printf("#%s = %s ; since %s\n", key->name, key->example, key->since);
    }
}

static void print_news(struct news *news)
{
    for (size_t i = 0; i < CONF_KEYS; i++) {
        const struct conf_key *key = &conf_keys[i];
        if (i > 0 && strcmp(conf_keys[i - 1].section, CONF_LIBRARIES_SECTION) == 0 &&
            strcmp(key->section, CONF_LIBRARIES_SECTION) != 0)
            print_library_lines(news);
        if (!is_news(news, key->section, key->name, key->since))
            continue;
        print_section(news, key->section);
        printf("#%s = %s ; since %s\n", key->name, key->default_text, key->since);
    }
    /* Below the keys of [sampling], which come last. */
    for (size_t i = 0; i < CONF_TABLES; i++) {
        const struct conf_table *table = &conf_tables[i];
        if (!is_news(news, CONF_SAMPLING_SECTION, table->name, table->since))
            continue;
        print_section(news, CONF_SAMPLING_SECTION);
        printf("#%s = FROM PROBABILITY ; since %s\n", table->name, table->since);
    }
    for (size_t i = 0; i < CONF_LISTS; i++) {
        const struct conf_list *list = &conf_lists[i];
        if (!is_news(news, list->section, EVERYTHING, list->since))
            continue;
        print_section(news, list->section);
        printf("# rules ; since %s\n", list->since);
    }
}

enum exit_status command_new(const struct options *options)
{
    CLEANUP_FREE char *text = NULL;
    size_t size;
    if (options->since != NULL && !is_version(options->since)) {
        fprintf(stderr, "jobtrail-conf: --since takes a version, as 0.1.0, and not %s\n",
                options->since);
        return STATUS_USAGE;
    }
    int error = whole_file_open_read(options->conf, FILE_MAX, &text, &size);
    if (error != 0) {
        fprintf(stderr, "%s: %s\n", options->conf, strerror(-error));
        return STATUS_REFUSED;
    }
    struct news news = {.text = text, .since = options->since};
    print_news(&news);
    return STATUS_OK;
}
