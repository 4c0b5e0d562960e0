/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Arrays that grow by doubling. Each macro returns 0, or -ENOMEM: the array is then as it was.
 */
#pragma once

#include <stddef.h>

/* Room for one more element in `array`, a pointer variable, that holds `count` of them. Its room
 * is not stored, but the least power of two that `count` fits in. */
#define GROW(array, count) grow_by_one(&(array), (count), sizeof *(array))

/* Room for `needed` elements in `array`, a pointer variable; `room`, a size_t variable, is how many
 * it has room for. For arrays that are emptied and filled again, or by more than one. */
#define GROW_TO(array, room, needed) grow_to(&(array), &(room), (needed), sizeof *(array))

/* What the macros call; `array` is the address of a pointer to elements of `size` bytes. */
int grow_to_room(void *array, size_t room, size_t size);
int grow_to_double(void *array, size_t *room, size_t needed, size_t size);

static inline int grow_by_one(void *array, size_t count, size_t size)
{
    return (count & (count - 1)) != 0 ? 0 : grow_to_room(array, count == 0 ? 1 : 2 * count, size);
}

static inline int grow_to(void *array, size_t *room, size_t needed, size_t size)
{
    return needed <= *room ? 0 : grow_to_double(array, room, needed, size);
}
