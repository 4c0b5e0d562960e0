/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Made-up ledgers, byte by byte, for the tests of submit/.
 */
#ifndef JOBTRAIL_SUBMIT_FIXTURE_H
#define JOBTRAIL_SUBMIT_FIXTURE_H

#include <stddef.h>
#include <stdint.h>

#include "ledger.h"

enum { MADE_LEDGER_MAX = 1 << 20 };

/* The fields of one slot as they stand in the file. */
struct made_fields {
    size_t size;
    unsigned char bytes[LEDGER_SLOT_MAX];
};

/* Appends a field, padded. */
void made_field(struct made_fields *fields, enum ledger_field_kind kind, unsigned flags,
                const void *content, size_t size);

/* Appends a field whose content is the string without its NUL. */
void made_text(struct made_fields *fields, enum ledger_field_kind kind, const char *text);

struct made_ledger {
    size_t size; /* of the file */
    unsigned char bytes[MADE_LEDGER_MAX];
};

/* Starts over with a header alone. */
void made_start(struct made_ledger *ledger);

struct ledger_header *made_header(struct made_ledger *ledger);

/* A sound slot's head: an open one of the process `pid`, started at `start_ns`. */
struct ledger_slot made_slot(int32_t pid, uint64_t start_ns);

/* Appends a slot of 4 KiB << class; fills in magic, offset and sizes. Returns where it lies. */
size_t made_add(struct made_ledger *ledger, const struct ledger_slot *slot, unsigned class,
                const struct made_fields *fields);

/* The slot's head inside the ledger, to be damaged. */
struct ledger_slot *made_at(struct made_ledger *ledger, size_t offset);

/* The first `size` bytes as an open file, which the caller closes. */
int made_file(const struct made_ledger *ledger, size_t size);

/* A random number from `*state` (SplitMix64): the same on every machine. */
uint64_t made_random(uint64_t *state);

#endif
