/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "preload/profile/profile_own.h"

/* One of a thread's arrays. */
struct profile_shape {
    uint32_t first; /* entries in the chunk of the thread */
    uint32_t bytes; /* of an entry */
    uint32_t at;    /* in the chunk of the thread */
};

/* Adds a piece to the array, and maps all of it anew, in a row. The mapping before stays, since
 * this may be the handler of a signal that came while it was in use. Returns the new mapping and
 * its number of entries, or NULL. `array` is what tells readers of the pieces. */
void *profile_grow(const struct profile_own *own, const struct profile_shape *shape,
                   struct profile_pieces *pieces, struct profile_array *array, uint32_t *room);

/* Private memory, zeros; in forked children too where `forget` is set. NULL: there is none. */
void *profile_memory(size_t bytes, bool forget);
