/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/grow.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The pointer is of any type, so that it is read and written as bytes. */
static int set_room(void *array, size_t room, size_t size)
{
    void *elements;
    memcpy(&elements, array, sizeof elements);
    elements = reallocarray(elements, room, size);
    if (elements == NULL)
        return -ENOMEM;
    memcpy(array, &elements, sizeof elements);
    return 0;
}

int grow_by_one(void *array, size_t count, size_t size)
{
    if ((count & (count - 1)) != 0)
        return 0;
    return count > SIZE_MAX / 2 ? -ENOMEM : set_room(array, count == 0 ? 1 : 2 * count, size);
}

int grow_to(void *array, size_t *room, size_t needed, size_t size)
{
    if (needed <= *room)
        return 0;
    size_t larger = *room > SIZE_MAX / 2 ? needed : 2 * *room;
    if (larger < needed)
        larger = needed;
    int error = set_room(array, larger, size);
    if (error == 0)
        *room = larger;
    return error;
}
