/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A buffer of ledger fields. Content that does not fit is cut, and the field is flagged.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "preload/ledger.h"

struct fields {
    unsigned char *start; /* 8-byte aligned */
    size_t used;
    size_t room;
    size_t blank;              /* the last of those used, which are zeros */
    size_t open;               /* offset of the field being written; == used when none is */
    struct ledger_field field; /* its head, copied into the buffer when the field is complete: other
                                  processes may change the buffer, so it is never read */
    uint32_t slot_flags;       /* LEDGER_SLOT_CUT when a whole field did not fit */
    uint32_t unlisted;         /* objects of the start that have no field */
};

/* Starts a field. Returns 0 when not even its head fits: then the other calls do nothing. */
int fields_begin(struct fields *fields, enum ledger_field_kind kind);

/* Adds to the content of the field begun last, up to `limit` bytes in all. */
void fields_add(struct fields *fields, const void *bytes, size_t size, size_t limit);

/* For system calls that fill a buffer: the address at which the field begun last continues, and in
 * `*size` how many bytes fit there, `limit` at the most. fields_wrote() adds what was filled. One
 * buffer for all fields keeps the number of touched pages low. */
unsigned char *fields_room(struct fields *fields, size_t limit, size_t *size);
void fields_wrote(struct fields *fields, size_t size);

void fields_end(struct fields *fields);

/* Takes back the field begun last. */
void fields_cancel(struct fields *fields);

/* fields_begin(), fields_add() and fields_end(). */
void fields_put(struct fields *fields, enum ledger_field_kind kind, const void *bytes, size_t size);
