/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An archive of objects (ar(5)), or one object, in memory.
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

#define CLEANUP_ARCHIVE __attribute__((cleanup(archive_free)))
