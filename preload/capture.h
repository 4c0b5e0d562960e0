/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The content of a capture: the fields of a slot, taken from the process itself.
 */
#pragma once

#include <stdint.h>

#include "preload/decide.h"
#include "preload/fields.h"
#include "preload/image.h"
#include "preload/proc.h"
#include "preload/switches.h"

/* ---- The uuid of a run ----------------------------------------------------------------------- */

/* Makes a version 7 UUID (RFC 9562, 5.7) for the time `now_ns` since the Epoch, from the 16 bytes
 * at `random`, which the kernel has given to this program alone (image.random), and which cannot be
 * told from the UUID. NULL: from getrandom(2). Where there are no random bytes either, the UUIDs of
 * processes differ by `salt`. Returns 64 random bits that are not in the UUID. */
uint64_t uuid_make(const unsigned char *random, uint64_t now_ns, uint64_t salt, uint8_t uuid[16]);

struct capture_source {
    const struct image *image;
    const struct switches *switches;
    const struct decide_policy *policy; /* usable */
    const struct exec_path *path;
    const struct proc_stat *self;
    struct ledger_header *head; /* shared; LEDGER_HEAD bytes are mapped */
};

/* Adds the fields. Returns the inode of the pid namespace where LEDGER_NAMESPACE is among them, or
 * 0. Where the objects of a dynamic program cannot be found, LEDGER_SLOT_CUT is among the flags. */
uint64_t capture_fill(const struct capture_source *source, struct fields *fields);
