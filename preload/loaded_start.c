/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/loaded_start.h"

#include <stddef.h>

#include "preload/memory.h"

/* The loader looks for a file of the name that is needed, whatever soname it has. */
static bool is_named(const struct loaded *object, const char *needed)
{
    const char *name = text_last_part(needed);
    return text_equal(object->soname, name) ||
           text_equal(text_last_part(object->entry->l_name), name);
}

/* Whether one of the first `count` objects is what the loader has taken for that name. What has the
 * name behind it was loaded by its path. */
static bool is_had(const struct loaded_map *map, uint32_t count, const char *needed)
{
    uint32_t i = 0;
    while (i < count && !is_named(loaded_of_map(map, i), needed))
        i++;
    return i < count;
}

/* Objects are nearly always in the order in which they are needed. */
static uint32_t add_needed(const struct loaded_map *map, const struct loaded *object,
                           uint32_t count)
{
    const ElfW(Dyn) *at = object->names == NULL ? NULL : object->entry->l_ld;
    for (; at != NULL && at->d_tag != DT_NULL && count < map->count; at++) {
        const char *needed = at->d_tag == DT_NEEDED ? object->names + at->d_un.d_val : NULL;
        if (needed != NULL && is_named(loaded_of_map(map, count), needed) &&
            !is_had(map, count, needed))
            count++;
    }
    return count;
}

static bool is_needed(const struct loaded_map *map, uint32_t number)
{
    for (uint32_t i = 0; i < number; i++) {
        if (add_needed(map, loaded_of_map(map, i), number) > number)
            return true;
    }
    return false;
}

/* The program, and what is preloaded, as this library is: all before the first object that one of
 * them needs. */
static uint32_t count_preloaded(const struct loaded_map *map, const char *own_name)
{
    uint32_t own = 0;
    while (own < map->count && !text_equal(loaded_of_map(map, own)->soname, own_name))
        own++;
    uint32_t first = own < map->count ? own + 1 : 1, next = first;
    while (next < map->count && !is_needed(map, next))
        next++;
    return next < map->count ? next : first;
}

uint32_t loaded_start_count(const struct loaded_map *map, const char *own)
{
    uint32_t before = 0, count = count_preloaded(map, own);
    while (count != before) {
        before = count;
        for (uint32_t i = 0; i < count && count < map->count; i++)
            count = add_needed(map, loaded_of_map(map, i), count);
    }
    return count;
}
