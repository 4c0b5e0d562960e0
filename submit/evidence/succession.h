/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which capture follows which in a process that ran several programs: what must be known of all
 * captures of a ledger to find how one of them ended.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "submit/evidence/ledger_read.h"

/* What is remembered of a capture or a stub. */
struct succession_entry {
    uint64_t start_ns, start_ticks, name_space; /* as in the capture */
    uint64_t next_ns; /* when the next program of its process began; 0: there was none */
    int32_t pid;
    uint32_t page : 31; /* of the ledger, where the capture is */
    uint32_t first : 1;
    uint32_t stub; /* as in the capture */
};

_Static_assert(sizeof(struct succession_entry) == 48, "memory for a capture, see docs/sizing.md");

struct succession {
    struct succession_entry *entry; /* owned; in the order of succession_add() */
    size_t count;
};

/* Returns 0 or -ENOMEM. */
int succession_add(struct succession *succession, const struct capture *capture);

/* Fills in what follows what, when all captures have been added. Returns 0 or -ENOMEM. */
int succession_find(struct succession *succession);

/* Reads all captures and stubs of the ledger and finds what follows what. Returns 0, -ENOMEM, or
 * -errno of the read. succession_free() releases, on failure too. */
int succession_read(struct ledger_reader *reader, struct succession *succession);

/* Reads the capture or stub of an entry once more. Returns 1; 0 when there is another one or none
 * now; -EINVAL when it is damaged; or -errno of the read. */
int succession_capture(struct ledger_reader *reader, const struct succession_entry *entry,
                       struct capture *capture);

void succession_free(struct succession *succession);
