/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which objects are of MPI: their own calls are not looked at, as that would count a call twice.
 */
#pragma once

#include "preload/slots/slots.h"

/* Marks an object that was added. */
void timed_parts_mark(const struct slots *slots, struct slots_object *object);

#if SLOTS_LOADS > 0

/* A part of MPI defines the import, or a tool that stands before one. */
bool timed_parts_has(const struct slots *slots, const struct slots_import *import);

/* Whether the object is a tool's: what it defines as MPI's routine calls that by its other name. */
bool timed_parts_wraps(const struct slots_object *object, const char *name);

/* Whether the object calls by that other name what it defines itself: nobody sees who calls it. */
bool timed_parts_hides(const struct slots_object *object, const char *name);

/* Whether MPI uses the object: it loads parts of MPI, in threads too. */
bool timed_parts_is_above(const struct slots *slots, const struct slots_object *object);

#endif
