/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A hash table from pids to places of an array, from 1 on. Of equal pids the oldest is found.
 */
#pragma once

#include <stdint.h>

struct pid_map {
    uint32_t *bucket; /* owned: the first place, 0 for none */
    uint32_t *next;   /* owned: the next place of the bucket, or the next free one */
    int32_t *pid;     /* owned: of each place; 0: it is free */
    uint32_t places, buckets, free, used;
    uint32_t highest; /* place that was ever used */
};

/* For `places` of them. Returns 0 or -ENOMEM; pid_map_free() releases. */
int pid_map_new(uint32_t places, struct pid_map *map);
void pid_map_free(struct pid_map *map);

/* The place; 0: there is none. */
uint32_t pid_map_find(const struct pid_map *map, int32_t pid);

/* A new place for the pid, which is not 0; 0: all are used. */
uint32_t pid_map_add(struct pid_map *map, int32_t pid);

void pid_map_remove(struct pid_map *map, uint32_t place);
