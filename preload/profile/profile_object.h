/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/image.h"

struct profile_headers {
    size_t count;
    uint64_t bias;
    const struct link_map *entry; /* NULL: the executable */
};

/* The program headers of the object that has the address: of the executable, or of the link map,
 * unless another thread changes that. NULL: none. */
const ElfW(Phdr) * profile_object_headers(uint64_t address, struct profile_headers *found);

/* The number, from 1, of the object that has the function, which is noted in the chunk of the
 * process; 0: it is not known, there is no room, or another thread notes one just now. */
uint32_t profile_object_find(uint64_t function);

/* Looks which of the objects are loaded no more. Returns whether there is a new one. */
bool profile_object_forget(void);

/* Whether the object of this number is loaded no more. */
bool profile_object_is_gone(uint32_t number);
