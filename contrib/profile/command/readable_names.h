/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Names of C++ for people, by the demangler of the compiler's library. Names are anybody's, and a
 * short one can stand for a text without end: so a child makes them, with limits on its memory and
 * processor time. Names that it does not come to stay as the linker has them.
 */
#pragma once

#include "contrib/profile/profile_set.h"

struct readable_names {
    char **text; /* owned, as are the texts; NULL: the name is readable as it is */
    size_t count;
};

/* Puts readable names into the set, which looks for names no more. The set is to be freed before
 * them. Returns 0 or -errno; readable_names_free() releases, in every case. */
int readable_names_put(struct profile_set *set, struct readable_names *names);
void readable_names_free(struct readable_names *names);
