/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The global symbols of all members of an archive.
 */
#pragma once

#include <ar.h>
#include <stdbool.h>
#include <stddef.h>

#include "contrib/routines/robj/object_read.h"

/* Longer files are not read: what is made of one has 32-bit offsets. */
#define ARCHIVE_BYTES_MAX ((size_t)2 << 30)

struct archive_member {
    char *name;                  /* owned */
    const struct ar_hdr *header; /* NULL: it is a file of its own */
    const unsigned char *bytes;
    size_t size;
    const char *fault; /* why it could not be opened, as object_open() says it; NULL: it is open */
    struct object object;
};

/* An archive of objects (ar(5)), or one object, in memory. */
struct archive {
    char *bytes; /* owned */
    size_t size;
    bool is_archive;
    struct archive_member *member; /* without the index and the table of names; owned */
    size_t count;
    const struct ar_hdr *names; /* of the table of long names, which its bytes follow; NULL: none */
    size_t names_size;
};

/* Takes the bytes over, in every case. `name` is that of the file, for the member of a single
 * object. Returns 0 and sets `*fault`: NULL, or why it is neither an archive nor an object, or not
 * a whole one; or -ENOMEM. archive_free() releases, after a fault too. */
int archive_read(char *bytes, size_t size, const char *name, struct archive *archive,
                 const char **fault);

void archive_free(struct archive *archive);

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
