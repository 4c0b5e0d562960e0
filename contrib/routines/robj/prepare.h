/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The prepared archive: trampolines, and behind them members with other names. So a linker takes
 * what they refer to in the same pass over the archive as without them, and members have the same
 * order in the program. Constructors run in it.
 */
#pragma once

#include <ar.h>
#include <stdbool.h>
#include <stddef.h>

#include "contrib/routines/robj/entry_check.h"
#include "contrib/routines/robj/trampoline.h"

/* An archive (ar(5)) with its index, written from members in memory. */
struct written_member {
    const struct ar_hdr *header; /* all of it but the size is kept; NULL: `name` and nothing else */
    const char *name;            /* the bytes beyond the 15th are left out */
    const unsigned char *bytes;
    size_t size;
};

/* A name that the index has, and the member that defines it. */
struct written_symbol {
    const char *name;
    size_t member;
};

struct written_archive {
    const struct ar_hdr *names; /* of the table of long names; NULL: none */
    size_t names_size;
    const struct written_member *member;
    size_t members;
    const struct written_symbol *symbol;
    size_t symbols;
};

/* Writes it to `fd`, which is at its start. Returns 0; -EFBIG where it has 4 GiB or more; or
 * -errno. */
int archive_write(int fd, const struct written_archive *archive);

struct prepare_order {
    struct preparation preparation;
    const struct entries *entries;       /* that entries_check() has found no fault in */
    bool has_members;                    /* or the trampolines alone */
    const struct trampoline *trampoline; /* where there are to be trampolines */
    const char *library;                 /* what their notes say it is */
};

/* What has been made, for people. */
struct prepared {
    size_t definitions, references, trampolines; /* renamed, renamed, written */
    size_t inside;      /* entries with a trampoline, to which members refer past it */
    size_t unsatisfied; /* references of members to old names, which nothing in the result has */
};

/* Writes the archive to `fd`, or the object where the input was one and none are made. Returns 0;
 * -EFBIG where it would have 4 GiB or more; -ENOEXEC where a member is damaged; or -errno. */
int prepare_write(const struct prepare_order *order, int fd, struct prepared *prepared);
