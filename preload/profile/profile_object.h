/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The number, from 1, of the object that has the function, which is noted in the chunk of the
 * process; 0: it is not known, there is no room, or another thread notes one just now. */
uint32_t profile_object_find(uint64_t function);

/* Looks which of the objects are loaded no more. Returns whether there is a new one. */
bool profile_object_forget(void);

/* Whether the object of this number is loaded no more. */
bool profile_object_is_gone(uint32_t number);
