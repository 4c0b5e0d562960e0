/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The library's private memory in this process. It is mapped when it is first asked for, so that a
 * process that is not recorded has no page of ours but the one that the loader writes to.
 */
#pragma once

#include <stdbool.h>

#include "preload/ledger.h"
#include "preload/slot.h"
#include "preload/trace.h"

enum { PRIVATE_RUN_BYTES = 1 << 10 };

struct private_memory {
    _Alignas(8) unsigned char run[PRIVATE_RUN_BYTES]; /* of run.c */
    /* The capture is put together here and then copied into the slot. A capture of usual size
     * touches the first page alone. It is larger than a slot: there is room for a path after the
     * fields. */
    _Alignas(8) unsigned char work[LEDGER_SLOT_MAX - sizeof(struct ledger_slot) + SLOT_PATH_ROOM];
    struct trace trace;
};

/* The memory, zeros at first; NULL: none could be had. It is never given back. */
struct private_memory *private_memory(void);

/* The memory if it was asked for before, otherwise NULL. No system call. */
struct private_memory *private_known(void);

/* Has the kernel fill it with zeros in forked children (madvise(2), MADV_WIPEONFORK). */
bool private_forget_on_fork(struct private_memory *memory);

/* Where the path of the executable can be put together: the place that it has in a capture. */
static inline char *private_path(struct private_memory *memory)
{
    return (char *)memory->work + sizeof(struct ledger_field);
}
