/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Versions of symbols, as the loader matches them. A name may have several in one library, and
 * several libraries of a process may define it in different ones.
 */
#ifndef JOBTRAIL_LOADED_VERSIONS_H
#define JOBTRAIL_LOADED_VERSIONS_H

#include <link.h>
#include <stdint.h>

#include "preload/loaded.h"

/* The version in which the object wants its symbol with this number; NULL: in none. "": not known.
 */
const char *loaded_version_wanted(const struct loaded *object, uint32_t number);

/* The symbol of this name in this version; NULL: the object has none. */
const ElfW(Sym) * loaded_version_find(const struct loaded *object, const char *name, uint32_t hash,
                                      const char *version);

#endif
