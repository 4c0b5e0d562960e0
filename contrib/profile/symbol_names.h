/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Names of functions, from the symbols of the files that a process had loaded, after its end. A
 * file is believed where its build-id is the process's; the separate debug information of that
 * build-id is. The files are anybody's: they are read within bounds (conf/base/elf_sections.h).
 */
#pragma once

#include "contrib/profile/profile_read.h"

struct symbol_names {
    struct symbol_object *objects; /* owned */
    size_t count;
    size_t bytes;           /* of all tables */
    const char *debug;      /* where separate debug information is: DIR/.build-id/XX/REST.debug */
    const char *executable; /* in place of a path that is not known; NULL: there is none */
    char *text;             /* owned; of the name that was made last */
};

#define SYMBOL_NAMES_DEBUG "/usr/lib/debug"

/* The name of the function at this address of the object's file: of its table of symbols, else of
 * its separate debug information, else of its dynamic symbols; else FILE+0xADDRESS, without
 * directories. Without an object it is ?+0xADDRESS. NULL when out of memory. It is valid until the
 * next call. */
const char *symbol_name(struct symbol_names *names, const struct profiled_object *object,
                        uint64_t address);

void symbol_names_free(struct symbol_names *names);
