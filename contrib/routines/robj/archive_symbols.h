/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The global symbols of all members of an archive.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "contrib/routines/robj/archive_read.h"

enum symbol_kind {
    SYMBOL_ROUTINE,
    SYMBOL_REFERENCE, /* defined elsewhere */
    SYMBOL_DATA,
    SYMBOL_COMMON,
    SYMBOL_TLS,
    SYMBOL_IFUNC,
    SYMBOL_UNTYPED,
    SYMBOL_KINDS
};

struct archive_symbol {
    const char *name; /* of the archive */
    GElf_Sym symbol;
    size_t member, number; /* its place there */
    enum symbol_kind kind;
    bool is_weak, is_grouped; /* in a group of sections (gABI, "Section Groups") */
};

struct archive_symbols {
    struct archive_symbol *item; /* in the order of the archive; owned */
    size_t count;
    const struct archive_symbol **by_name; /* of one name, in the order of the archive; owned */
};

/* Reads those of the members that are open. A member whose symbols are damaged gets a fault and is
 * closed. Returns 0 or -ENOMEM. archive_symbols_free() releases. */
int archive_symbols_read(struct archive *archive, struct archive_symbols *symbols);
void archive_symbols_free(struct archive_symbols *symbols);

/* The place in `by_name` where those of this name begin, and how many there are. */
size_t archive_symbols_find(const struct archive_symbols *symbols, const char *name, size_t *count);

/* Whether members refer to what by_name[at] and following, `count` of one name, define. */
bool archive_symbols_are_used(const struct archive_symbols *symbols, size_t at, size_t count);

/* "routine", "reference" and so on */
const char *symbol_kind_name(enum symbol_kind kind);

#define CLEANUP_SYMBOLS __attribute__((cleanup(archive_symbols_free)))
