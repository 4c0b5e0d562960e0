/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What cannot be done right: archives that cannot be prepared, and symbols that cannot be entries.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "contrib/routines/robj/archive_symbols.h"

/* Entry files: which routines of a library are to be entries, one a line, and what each is to be
 * called from then on.
 *
 *     # routines of the library          a comment, to the end of the line
 *     dgemm_
 *     dgemv_   dgemv_of_the_vendor       its new name
 *
 * Without a new name it is ENTRY_SUFFIX behind the old one. */
#define ENTRY_SUFFIX ".real"

enum { ENTRY_FILE_BYTES_MAX = 64 << 20 };

struct entry {
    char *name, *renamed; /* owned */
    size_t line;
};

struct entries {
    struct entry *item; /* ordered by name; each once */
    size_t count;
};

/* Is told what is wrong with a line; a text that follows "LINE: ". */
typedef void entry_complaint(void *context, size_t line, const char *name, const char *text);

/* Reads the text. Each fault of it is reported, and its line left out. Returns how many faults
 * there are, or -ENOMEM. entries_free() releases. */
long entries_read(const char *text, size_t size, entry_complaint *complain, void *context,
                  struct entries *entries);

/* Whether a text can be a name in an entry file. */
bool entry_is_name(const char *name);

/* The entry of this name; NULL: there is none. */
const struct entry *entries_find(const struct entries *entries, const char *name);

void entries_free(struct entries *entries);

/* What is to be done with the entries of an archive. */
struct preparation {
    const struct archive *archive;
    const struct archive_symbols *symbols;
    bool renames_references; /* inside the archive, too */
    bool has_trampolines;
};

/* Why the member `i` keeps the archive from being prepared: NULL where it does not. */
const char *member_refusal(const struct archive *archive, size_t i);

/* Why the symbols symbols->by_name[at] and following, `count` of one name, cannot be an entry: NULL
 * where they can. */
const char *entry_refusal(const struct preparation *preparation, size_t at, size_t count);

/* Tells the fault of each entry. Returns how many there are. */
long entries_check(const struct preparation *preparation, const struct entries *entries,
                   entry_complaint *complain, void *context);
