/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The batches of one transport, as outbox.h describes them.
 */
#pragma once

#include <stddef.h>

#include "submit/definition/record_signature.h"
#include "submit/outbox/transport.h"

enum { OUTBOX_BATCH_NAME_MAX = 96 };

struct outbox_batches {
    char (*name)[OUTBOX_BATCH_NAME_MAX]; /* owned, oldest first */
    size_t count;
};

/* Returns 0 or -errno. outbox_batches_free() releases. */
int outbox_batches_list(int directory, struct outbox_batches *batches);

void outbox_batches_free(struct outbox_batches *batches);

/* A line that is none. */
struct outbox_damage {
    const char *at; /* in the batch's text */
    size_t length;
};

struct outbox_batch {
    char *text;                  /* owned; what the rest points into */
    char *signed_text;           /* owned; what signed items point into; NULL: none is */
    struct transport_item *item; /* owned */
    size_t count;
    struct outbox_damage *damage; /* owned */
    size_t damage_count;
};

/* Reads a batch. Returns 0; -EFBIG when it is larger than any that we write; or -errno.
 * outbox_batch_free() releases. */
int outbox_batch_read(int directory, const char *name, struct outbox_batch *batch);

/* The same of the `size` bytes at `text`, malloc'ed and with a NUL behind them, which the batch
 * owns from then on. Returns 0 or -ENOMEM: outbox_batch_free() is to be called all the same. */
int outbox_batch_parse(char *text, size_t size, struct outbox_batch *batch);

/* Gives every item its text with a signature by `key`. One that cannot have any is refused. Returns
 * 0, -ENOMEM or -EIO, as record_sign(). */
int outbox_batch_sign(struct outbox_batch *batch, const struct signature_key *key);

/* Puts a batch of the items that are pending, and of no damage, in its place; removes it when there
 * are none. Returns 0 or -errno. */
int outbox_batch_settle(int directory, const char *name, const struct outbox_batch *batch);

void outbox_batch_free(struct outbox_batch *batch);

/* Seconds since the Epoch, out of a batch's name; 0 when it is none. */
uint64_t outbox_batch_time(const char *name);
