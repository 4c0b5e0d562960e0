/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The list of libraries and routines in a LEDGER_ROUTINES field (ledger.h). Threads and processes
 * add to it at once, without a lock. Other processes of the user may write anything there: every
 * number that is read is checked, and every loop is bounded. Memory reads and writes only.
 */
#pragma once

#include <stdint.h>

#include "preload/image.h"
#include "preload/ledger.h"

struct routine_list {
    struct ledger_routines *head; /* shared, once the capture is published */
    uint32_t room;                /* bytes after the head */
};

/* What is noted of a call. */
struct routine_call {
    const char *name;
    uint32_t length; /* of the name */
    uint32_t library;
    uint32_t flags; /* enum ledger_routine_flag */
};

#define ROUTINE_LIST_FULL UINT32_MAX

/* Bytes that a call takes in the list. */
uint32_t routine_list_size(uint32_t name_length);

/* Adds a library, unless it is there already. Returns its number for struct routine_call, or
 * ROUTINE_LIST_FULL. */
uint32_t routine_list_library(const struct routine_list *list, struct image_bytes build_id,
                              const char *path);

/* The routine's place in the list, where it is put unless it is there already. NULL: the list is
 * full, which is counted of a call. */
struct ledger_routine *routine_list_call(const struct routine_list *list,
                                         const struct routine_call *call, uint64_t now_ns);
