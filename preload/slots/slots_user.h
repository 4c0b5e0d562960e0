/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a library that has this room defines.
 */
#pragma once

#include "preload/slots/slots.h"

enum slots_want { SLOTS_NOT, SLOTS_WANTED, SLOTS_MISSED };

/* Its soname. */
extern const char slots_user_name[] __attribute__((visibility("hidden")));

/* An object was added: says whether it is wanted beside being designated, or left. */
void slots_user_object(struct slots *slots, struct slots_object *object);

#if SLOTS_LOADS > 0

/* Whether the address is one of its stubs, but those before functions that load. */
bool slots_user_is_stub(uintptr_t address);

/* Whether the import is wanted, whose library is known; sets its flags. SLOTS_MISSED: it is, and
 * cannot be watched. */
enum slots_want slots_user_wants(struct slots *slots, struct slots_import *import);

/* A call that can be watched. Returns whether it is. */
bool slots_user_found(struct slots *slots, const struct slots_import *import);

/* What is not watched: an import, or with NULL something of what was loaded. */
void slots_user_miss(struct slots *slots, const struct slots_import *import);

/* Whether what the object loads is not of the program, by its part of MPI. */
bool slots_user_is_below(struct slots *slots, struct slots_object *object);

/* Whether there is still something to find in this process. */
bool slots_user_may_look(void);

/* Whether what was loaded may be called unseen from now on. It is looked at later, or never. */
void slots_user_late(struct slots *slots, bool is_late);

/* What was loaded has been looked at, under the loader's lock. */
void slots_user_looked(struct slots *slots);

/* The process enters a sandbox now. */
void slots_user_confine(const struct slots *slots);

#endif
