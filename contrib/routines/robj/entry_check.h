/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What cannot be done right: archives that cannot be prepared, and symbols that cannot be entries.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "contrib/routines/robj/archive_symbols.h"
#include "contrib/routines/robj/entry_file.h"

/* What is to be done with the entries of an archive. */
struct preparation {
    const struct archive *archive;
    const struct archive_symbols *symbols;
    bool renames_references; /* inside the archive, too */
    bool has_stubs;
};

/* Why the member `i` keeps the archive from being prepared: NULL where it does not. */
const char *member_refusal(const struct archive *archive, size_t i);

/* Why the symbols symbols->by_name[at] and following, `count` of one name, cannot be an entry: NULL
 * where they can. */
const char *entry_refusal(const struct preparation *preparation, size_t at, size_t count);

/* Tells the fault of each entry. Returns how many there are. */
long entries_check(const struct preparation *preparation, const struct entries *entries,
                   entry_complaint *complain, void *context);
