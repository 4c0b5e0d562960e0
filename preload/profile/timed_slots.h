/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which slots of global offset tables lead to routines of MPI, and to those of libraries that
 * [routines] designates. Only slots of the application's objects are taken: MPI's own libraries
 * call each other, which would count a call twice.
 */
#ifndef JOBTRAIL_TIMED_SLOTS_H
#define JOBTRAIL_TIMED_SLOTS_H

#include "preload/image.h"

/* Looks at the objects of the start, and points slots to stubs; fills timed_routines. `policy` is
 * the base of the usable rules; NULL: there are none. */
void timed_slots_point(const struct image *image, const void *policy);

#endif
