/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/watch/watch_new.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Walks of so much time may follow each other at once: those of an installation. */
enum { AT_ONCE_NS = 200000000, SHARE = 20 };

int watch_new_note(struct watch_new *fresh, const char *path)
{
    for (size_t i = 0; i < fresh->count; i++)
        if (strcmp(fresh->path[i], path) == 0)
            return 0;
    if (fresh->count == WATCH_NEW_MAX)
        return -ENOSPC;
    char *copy = strdup(path);
    if (copy == NULL)
        return -ENOMEM;
    fresh->path[fresh->count++] = copy;
    return 0;
}

bool watch_new_may_walk(struct watch_new *fresh, int64_t now_ns)
{
    fresh->used_ns -= (now_ns - fresh->at_ns) / SHARE;
    if (fresh->used_ns < 0)
        fresh->used_ns = 0;
    fresh->at_ns = now_ns;
    return fresh->used_ns < AT_ONCE_NS;
}

void watch_new_used(struct watch_new *fresh, int64_t used_ns)
{
    fresh->used_ns += used_ns;
}

void watch_new_clear(struct watch_new *fresh)
{
    for (size_t i = 0; i < fresh->count; i++)
        free(fresh->path[i]);
    fresh->count = 0;
}
