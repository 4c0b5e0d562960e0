/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An archive (ar(5)) with its index, written from members in memory.
 */
#pragma once

#include <ar.h>
#include <stddef.h>

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
