/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ldwrap/dependency_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/cleanup.h"

/* Removes lld's escapes, in place. */
static void unescape(char *name)
{
    char *to = name;
    for (; *name != '\0'; name++) {
        if ((name[0] == '\\' && (name[1] == ' ' || name[1] == '#' || name[1] == '\\')) ||
            (name[0] == '$' && name[1] == '$'))
            name++;
        *to++ = *name;
    }
    *to = '\0';
}

static int add_name(const char *line, size_t length, struct strings *inputs)
{
    CLEANUP_FREE char *name = strndup(line, length);
    if (name == NULL)
        return -ENOMEM;
    if (strpbrk(name, "\\$") != NULL && access(name, F_OK) != 0)
        unescape(name);
    return strings_add(inputs, name);
}

int dependency_file_read(const char *text, struct strings *inputs)
{
    const char *rule_end = strstr(text, "\n\n");
    int error = 0;
    for (const char *line = rule_end; line != NULL && *line != '\0' && error == 0;) {
        size_t length = strcspn(line, "\n");
        if (length > 1 && line[length - 1] == ':')
            error = add_name(line, length - 1, inputs);
        line += length + (line[length] == '\n');
    }
    return error;
}

/* Takes BEFORE NAME BEHIND out, wherever it is. */
static int remove_all(char *text, const char *name_starts, const char *name, const char *after)
{
    CLEANUP_FREE char *part = NULL;
    int found = 0;
    if (asprintf(&part, "%s%s%s", name_starts, name, after) < 0) {
        part = NULL;
        return 0;
    }
    size_t length = strlen(part);
    for (char *at = text; (at = strstr(at, part)) != NULL; found = 1)
        memmove(at, at + length, strlen(at + length) + 1);
    return found;
}

bool dependency_file_remove(char *text, const char *name)
{
    /* GNU ld and gold; lld; mold */
    static const char *const name_starts[] = {" \\\n  ", " \\\n ", " "};
    int found = 0;
    for (size_t i = 0; i < sizeof name_starts / sizeof name_starts[0]; i++)
        found |= remove_all(text, name_starts[i], name, "");
    return found | remove_all(text, "\n", name, ":\n");
}
