/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parts of a record that many records share. What has been read before is known by the digest
 * of its text and not parsed again. Libraries are libA's text, or that of an object of libA and
 * buildIdA.
 */
#pragma once

#include "submit/load/parse/json_members.h"
#include "submit/load/parse/load_record.h"

enum part_kind {
    PART_LIBS,
    PART_ENVIRONMENT,
    PART_ANCESTORS,
    PART_BUILD,
    PART_FUNCTIONS,
    PART_KINDS
};

/* Takes the part that stands at `slice` (of size 0 when there is none) under `key`, which is for
 * messages, unless it is `seen`. Equal parts of records with another `scope`, NULL for none, count
 * as different. Returns 0; -EBADMSG and `*reason`; -ENOMEM. */
int record_part_read(struct record_part *part, enum part_kind kind, const char *key,
                     const char *scope, struct json_slice slice, struct id_cache *seen,
                     struct load_reason *reason);

/* Parses a part that was known when it was read. Returns 0 or -ENOMEM. */
int record_part_complete(struct record_part *part, enum part_kind kind);
