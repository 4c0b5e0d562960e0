/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/grow.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The pointer is of any type, so that it is read and written as bytes. */
int grow_to_room(void *array, size_t room, size_t size)
{
    void *elements, *grown;
    size_t bytes;
    /* no room: twice as many overflowed */
    if (room == 0 || __builtin_mul_overflow(room, size, &bytes))
        return -ENOMEM;
    memcpy(&elements, array, sizeof elements);
    grown = realloc(elements, bytes);
    if (grown == NULL)
        return -ENOMEM;
    memcpy(array, &grown, sizeof grown);
    return 0;
}

int grow_to_double(void *array, size_t *room, size_t needed, size_t size)
{
    size_t larger = *room > SIZE_MAX / 2 ? needed : 2 * *room;
    if (larger < needed)
        larger = needed;
    int error = grow_to_room(array, larger, size);
    if (error == 0)
        *room = larger;
    return error;
}
