/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Refuses what libinih would accept silently: a line that is too long, which it splits; a line that
 * starts with blanks, which continues the line before; text after a [section]; and an unknown
 * section, even when it is empty.
 */
#include "conf/conf_loader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf_hint.h"

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
    if (!conf_has_section(name)) {
        conf_refuse(loader, 2, "unknown section '%s'", name);
        conf_hint_section(name, loader->why.hint, sizeof loader->why.hint);
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
