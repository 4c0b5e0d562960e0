/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which objects the loader has loaded at the start of the program. They are asked first for each
 * name, in the order of the link map, and are never unloaded. Constructors may have loaded others
 * with dlopen(3) before ours has run: of these nobody tells whom the loader asks for a name.
 */
#ifndef JOBTRAIL_LOADED_START_H
#define JOBTRAIL_LOADED_START_H

#include <stddef.h>
#include <stdint.h>

#include "preload/loaded.h"

/* All objects of the link map, in its order, each of them in a larger one of `stride` bytes. */
struct loaded_map {
    const struct loaded *first;
    size_t stride;
    uint32_t count;
};

/* How many are of the start, at the beginning of the map. `own`: the soname of the calling library.
 * Objects that are not found by what others need, as some filters (DT_FILTER), and all behind them,
 * are taken for later ones. */
uint32_t loaded_start_count(const struct loaded_map *map, const char *own);

/* The object of that number. */
static inline const struct loaded *loaded_of_map(const struct loaded_map *map, uint32_t number)
{
    return (const void *)((const char *)map->first + number * map->stride);
}

#endif
