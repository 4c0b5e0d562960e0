/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/witness/pid_map.h"

#include <errno.h>
#include <stdlib.h>

static uint32_t *bucket_of(const struct pid_map *map, int32_t pid)
{
    return &map->bucket[(uint32_t)pid * UINT32_C(2654435761) & (map->buckets - 1)];
}

int pid_map_new(uint32_t places, struct pid_map *map)
{
    *map = (struct pid_map){.places = places, .buckets = 1, .free = 1};
    while (map->buckets < places)
        map->buckets *= 2;
    map->bucket = calloc(map->buckets, sizeof *map->bucket);
    map->next = calloc((size_t)places + 1, sizeof *map->next);
    map->pid = calloc((size_t)places + 1, sizeof *map->pid);
    if (map->bucket == NULL || map->next == NULL || map->pid == NULL) {
        pid_map_free(map);
        return -ENOMEM;
    }
    for (uint32_t place = 1; place < places; place++)
        map->next[place] = place + 1;
    return 0;
}

void pid_map_free(struct pid_map *map)
{
    free(map->bucket);
    free(map->next);
    free(map->pid);
    *map = (struct pid_map){0};
}

uint32_t pid_map_find(const struct pid_map *map, int32_t pid)
{
    uint32_t place = *bucket_of(map, pid);
    while (place != 0 && map->pid[place] != pid)
        place = map->next[place];
    return place;
}

uint32_t pid_map_add(struct pid_map *map, int32_t pid)
{
    uint32_t place = map->free, *end = bucket_of(map, pid);
    if (place == 0)
        return 0;
    while (*end != 0)
        end = &map->next[*end];
    *end = place;
    map->free = map->next[place];
    map->next[place] = 0;
    map->pid[place] = pid;
    map->used++;
    if (place > map->highest)
        map->highest = place;
    return place;
}

void pid_map_remove(struct pid_map *map, uint32_t place)
{
    uint32_t *at = bucket_of(map, map->pid[place]);
    while (*at != place)
        at = &map->next[*at];
    *at = map->next[place];
    map->next[place] = map->free;
    map->free = place;
    map->pid[place] = 0;
    map->used--;
}
