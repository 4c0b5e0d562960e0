/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which slots of global offset tables lead to routines of MPI, and to those of libraries that
 * [routines] designates. Only slots of the application's objects are taken: MPI's own libraries
 * call each other, which would count a call twice. Before a sandbox is entered the profile is
 * switched off for good.
 */
#pragma once

#include <stdbool.h>

/* Looks at the objects of the start, and points slots to stubs; fills timed_routines. `policy` is
 * the base of the usable rules; NULL: there are none. Returns whether it is to stay. `is_timing`
 * false: the library is linked into the program, and sandboxes alone are looked for. */
bool timed_slots_point(const void *policy, bool is_timing);

/* The process ends: what has not been looked at is missed. */
void timed_slots_end(void);
