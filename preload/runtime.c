/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/runtime.h"

#include <stdbool.h>

#include "preload/memory.h"

/* Whether the directory contains `library`, of which `length` bytes count. */
static bool is_above(const char *directory, const char *library, size_t length)
{
    size_t size = text_length(directory);
    while (size > 0 && directory[size - 1] == '/')
        size--;
    return directory[0] == '/' && size < length && memcmp(directory, library, size) == 0 &&
           library[size] == '/';
}

/* In the argument -b/there:/here or --bind=/there:/here: /here. */
static const char *bound_at(const char *argument)
{
    const char *at = argument;
    for (const char *next = argument; *next != '\0'; next++)
        if (*next == '=' || (*next == ':' && next[1] == '/'))
            at = next + 1;
    return at;
}

/* bwrap --bind / /, --bind /opt /opt; ch-run --bind /opt, --bind=/there:/opt. The root stands for
 * itself beside itself alone, since an image is bound there. */
static bool is_bound(const struct image *image, const char *library, size_t length)
{
    for (int i = 1; i < image->argc; i++) {
        const char *before = image->argv[i - 1], *argument = image->argv[i];
        bool is_pair = text_equal(before, argument);
        bool is_option = (before[0] == '-' || argument[0] == '-') && !text_equal(argument, "/");
        if ((is_pair || is_option) && is_above(bound_at(argument), library, length))
            return true;
    }
    return false;
}

/* `end` is behind the entry. */
static bool is_ours(const char *entry, const char *end)
{
    const char *name = end;
    while (name > entry && name[-1] != '/')
        name--;
    return text_after(name, "libjobtrail") != NULL;
}

static void leave_list(const struct image *image, char *entry)
{
    while (*entry != '\0') {
        char *end = entry, *next;
        while (*end != '\0' && *end != ':' && *end != ' ')
            end++;
        next = *end == '\0' ? end : end + 1;
        if (is_ours(entry, end) && !is_bound(image, entry, (size_t)(end - entry)))
            memmove(entry, next, text_length(next) + 1);
        else
            entry = next;
    }
}

void runtime_leave(const struct image *image)
{
    for (char **variable = image->envp; *variable != NULL; variable++) {
        const char *list = text_after(*variable, "LD_PRELOAD=");
        if (list != NULL)
            leave_list(image, *variable + (list - *variable));
    }
}
