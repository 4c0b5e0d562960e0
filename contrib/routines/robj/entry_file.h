/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Entry files: which routines of a library are to be entries, one a line, and what each is to be
 * called from then on.
 *
 *     # routines of the library          a comment, to the end of the line
 *     dgemm_
 *     dgemv_   dgemv_of_the_vendor       its new name
 *
 * Without a new name it is ENTRY_SUFFIX behind the old one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

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

/* Reads the text. Each fault of it is told, and its line left out. Returns how many faults there
 * are, or -ENOMEM. entries_free() releases. */
long entries_read(const char *text, size_t size, entry_complaint *complain, void *context,
                  struct entries *entries);

/* Whether a text can be a name in an entry file. */
bool entry_is_name(const char *name);

/* The entry of this name; NULL: there is none. */
const struct entry *entries_find(const struct entries *entries, const char *name);

void entries_free(struct entries *entries);

#define CLEANUP_ENTRIES __attribute__((cleanup(entries_free)))
