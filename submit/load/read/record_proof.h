/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether a record is proven: root of a node wrote it. It is where only root and the loader's user
 * could write, and where it is signed with one of the site's keys. Streams, and directories that
 * others can change, have unproven records else.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "submit/load/parse/load_reason.h"

#define PROOF_KEYS_MAX 16

struct signature_key;

struct record_proof {
    struct signature_key *key[PROOF_KEYS_MAX]; /* owned */
    size_t keys;
    bool required; /* a signature, of whatever comes from wherever */
};

/* Adds the key of a file. Returns 0 or -errno, which key_file_trouble() tells. */
int record_proof_add_key(struct record_proof *proof, const char *path);

/* Looks at a record of `size` bytes at `text`, with a NUL after it, from a place that is closed to
 * others or not. Returns 0 and `*unproven`; or -EBADMSG and `*reason` when its signature is not of
 * this text, or there must be one and is none. */
int record_prove(const struct record_proof *proof, const char *text, size_t size, bool closed,
                 bool *unproven, struct load_reason *reason);

void record_proof_free(struct record_proof *proof);
