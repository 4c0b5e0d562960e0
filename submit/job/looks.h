/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the process watch has seen of the processes of a running job: the file LOOKS_NAME beside the
 * journal, root's alone. It is replaced after each look, by a rename. It is text:
 *
 *   next OFFSET
 *       slots of the ledger from there on have not been looked at
 *   PAGE PID TICKS FLAGS START ALIVE GONE EXEC DEVICE INODE
 *       one line for each slot, in the order of their pages: its page, what it says of its process
 *       and when its capture began, two times in nanoseconds since the Epoch, a hash of the
 *       executable's path, and the file that was seen under that path
 *
 * All numbers are decimal, but for EXEC, which is hexadecimal. A slot has a line as long as its
 * process has written no end or still lives, and for good where it was gone without an end. There
 * are LOOKS_MAX lines at the most: what comes after that is not looked at.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOOKS_NAME "looks"

enum { LOOKS_MAX = 16384 };

enum look_flag {
    LOOK_FIRST = 1,  /* TICKS are the start of the run (preload/ledger.h, LEDGER_SLOT_FIRST) */
    LOOK_SIGNED = 2, /* an end is written */
    LOOK_EMPTY = 4,  /* the slot is being filled or on a free list; nothing but the page is known */
    LOOK_OTHER = 8,  /* at GONE the process ran another file than DEVICE and INODE */
};

struct look {
    uint32_t page;
    int32_t pid;
    uint64_t ticks;
    uint32_t flags;    /* enum look_flag */
    uint64_t start_ns; /* of the capture */
    uint64_t alive_ns; /* the last time at which the process ran its program; 0: never seen */
    uint64_t gone_ns;  /* the first time at which it did not any more; 0: not yet */
    uint64_t exec;     /* looks_hash() of the path of the executable */
    uint64_t device;   /* of the executable, as root saw it running under that path */
    uint64_t inode;    /* of the same; 0: never seen */
};

struct looks {
    uint64_t next_offset; /* 0: nothing has been looked at */
    struct look *look;    /* owned */
    size_t count;
};

/* Whether a line can follow the line of `page_before` (0: the first one): pages ascend, and flags
 * and pid are possible ones. */
bool looks_is_sound(const struct look *look, uint32_t page_before);

uint64_t looks_hash(const char *path, size_t size);

/* Reads the file in a job's directory. Returns 0, also where there is none, or where it is none of
 * this format: then nothing has been seen; or -ENOMEM. looks_free() releases. */
int looks_read(int directory, struct looks *looks);

/* Replaces the file. Returns 0 or -errno. */
int looks_write(int directory, const struct looks *looks);

/* The line of the slot at `page` whose capture began at `start_ns`, or NULL. */
const struct look *looks_find(const struct looks *looks, uint32_t page, uint64_t start_ns);

void looks_free(struct looks *looks);
