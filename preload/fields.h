/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A buffer of ledger fields that never overruns: what does not fit is cut and flagged.
 */
#ifndef JOBTRAIL_FIELDS_H
#define JOBTRAIL_FIELDS_H

#include <stddef.h>
#include <stdint.h>

#include "preload/ledger.h"

struct fields {
    unsigned char *start; /* 8-byte aligned */
    size_t used;
    size_t room;
    size_t open;               /* offset of the field being written; == used when none is */
    struct ledger_field field; /* its head, which goes to its place when the field is whole: what
                                  lies in the buffer may be shared, and is not read again */
    uint32_t slot_flags;       /* LEDGER_SLOT_CUT when a whole field did not fit */
};

/* Starts a field. Returns 0 when not even its head fits: then the other calls do nothing. */
int fields_begin(struct fields *fields, enum ledger_field_kind kind);

/* Adds to the field begun last, at the most until its content is `limit` bytes. */
void fields_add(struct fields *fields, const void *bytes, size_t size, size_t limit);

/* Where the next bytes of the field begun last go, and how many fit at the most `limit`: for system
 * calls that fill a buffer. fields_wrote() says how many they were. One buffer for all keeps the
 * number of touched pages low. */
unsigned char *fields_room(struct fields *fields, size_t limit, size_t *size);
void fields_wrote(struct fields *fields, size_t size);

void fields_end(struct fields *fields);

/* Begin, add and end in one. */
void fields_put(struct fields *fields, enum ledger_field_kind kind, const void *bytes, size_t size);

#endif
