/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/definition/record_name.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "conf/base/uuid.h"

enum { PARTS_MAX = 8, NAME_LENGTH_MAX = 240 };

struct part {
    const char *at;
    size_t length;
};

/* Between the dots. Returns their number; 0 when there are more than PARTS_MAX. */
static size_t split(const char *name, struct part *parts)
{
    size_t count = 0;
    for (;;) {
        size_t length = strcspn(name, ".");
        if (count == PARTS_MAX)
            return 0;
        parts[count++] = (struct part){name, length};
        if (name[length] == '\0')
            return count;
        name += length + 1;
    }
}

static int is(struct part part, const char *text)
{
    return part.length == strlen(text) && memcmp(part.at, text, part.length) == 0;
}

static int copy(struct part part, char *text, size_t size)
{
    if (part.length == 0 || part.length >= size)
        return 0;
    memcpy(text, part.at, part.length);
    text[part.length] = '\0';
    return 1;
}

static int is_uuid(struct part part)
{
    char text[UUID_STR_LEN];
    return copy(part, text, sizeof text) && uuid_is_text(text);
}

int record_name_is_sound(const char *name)
{
    size_t length = strlen(name);
    return length > 0 && length <= NAME_LENGTH_MAX && name[0] != '.' &&
           strcspn(name, "/ \n\t\r\"\\") == length;
}

int record_name_parse(const char *name, struct record_name *parsed)
{
    struct part parts[PARTS_MAX];
    struct record_name found;
    size_t count = split(name, parts);
    if (count < 5 || !is(parts[count - 1], "json") ||
        !copy(parts[0], found.kind, sizeof found.kind) ||
        !copy(parts[1], found.syshost, sizeof found.syshost))
        return -EINVAL;
    struct part last = parts[count - 2], before = parts[count - 3];
    int several = !is_uuid(last); /* a part behind the uuid tells records of one run apart */
    if (!copy(several ? before : last, found.uuid, sizeof found.uuid) ||
        !is_uuid(several ? before : last) || last.length >= UUID_STR_LEN)
        return -EINVAL;
    if (several)
        snprintf(found.key, sizeof found.key, "%.15s_%s_%.*s", found.kind, found.uuid,
                 (int)last.length, last.at);
    else if (is(parts[0], "run"))
        snprintf(found.key, sizeof found.key, "run_%s_%s", is(before, "aaa") ? "strt" : "fini",
                 found.uuid);
    else
        snprintf(found.key, sizeof found.key, "%.15s_%s", found.kind, found.uuid);
    *parsed = found;
    return 0;
}
