/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which slots of global offset tables lead to routines of MPI, and to those of libraries that
 * [routines] designates. Only slots of the application's objects are taken: MPI's own libraries
 * call each other, which would count a call twice.
 */
#pragma once

#include <stdbool.h>

#include "preload/image.h"
#include "preload/profile/timed_search.h"

/* Looks at the objects of the start, and points slots to stubs; fills timed_routines. `policy` is
 * the base of the usable rules; NULL: there are none. Returns whether it is to stay. */
bool timed_slots_point(const struct image *image, const void *policy);

/* Of a program that the library is linked into: points the slots of timed_confine.h alone. */
void timed_slots_confine(const struct image *image);

#ifdef __LP64__

/* Finds the functions of MPI that tell the size of a datatype, where they are not known. */
void timed_slots_types(const struct timed_search *search);

/* Whether the segments of the object are known now. */
bool timed_slots_know(const struct timed_search *search, struct timed_object *object);

/* Whether the slot can be stored to, until timed_slots_close(). Later no system call is made for
 * it: the program may be in a sandbox that kills for one. */
bool timed_slots_open(const struct timed_search *search, const struct loaded *loaded,
                      uintptr_t slot);
void timed_slots_close(void);

/* Points the slots of an object. What cannot be pointed is missed. */
void timed_slots_look(struct timed_search *search, struct timed_object *object);

#endif
