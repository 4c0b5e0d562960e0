/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One slot of the job's ledger: claiming it at the start of a process, signing it at the end.
 *
 * Other processes of the user have the ledger mapped too, even sandboxed ones, and may write
 * anything into it at any time. So the offset and the size of the slot are kept in private memory,
 * and no value is read from the ledger again after it was checked. All writes stay within the
 * header's page and the claimed slot, and every loop is bounded. Where the kernel's pages are
 * larger than the ledger's, a mapping has parts of other slots beside that, which are left alone.
 *
 * The calls in their order: slot_open_ledger(), slot_claim(), slot_close_ledger(),
 * slot_count_run(), slot_publish(), and at the end slot_end(), slot_leave_stub() or slot_discard().
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/ledger.h"

/* ---- Blocks of the ledger -------------------------------------------------------------------- */

/* Allocating the blocks of a file of final size before they are touched: touching a page without
 * them would be SIGBUS on a full file system. */

/* A file of which the blocks up to a border are allocated. */
struct backing {
    int fd;
    uint64_t size;
    uint64_t *border; /* shared; atomic */
};

/* Allocates the blocks `from` to `to`, and where there is room those behind them as well, so that
 * few processes have to allocate. Returns whether they are allocated. */
bool backing_extend(const struct backing *backing, uint64_t from, uint64_t to);

/* The borders of the kernel's pages at or before `at`, and at or after it. */
static inline uint64_t backing_down(uint64_t at, size_t page_bytes)
{
    return at & ~((uint64_t)page_bytes - 1);
}

static inline uint64_t backing_up(uint64_t at, size_t page_bytes)
{
    return backing_down(at + page_bytes - 1, page_bytes);
}

enum { SLOT_PATH_ROOM = 4096 };

/* A ledger as it was when it was opened. */
struct slot_ledger {
    struct ledger_header *header; /* shared; LEDGER_HEAD bytes are mapped */
    uint64_t size;                /* bytes: no slot lies beyond */
    uint64_t backed;              /* bytes: up to here pages can be touched */
    size_t page_bytes;            /* of the kernel: image.page_bytes */
    int fd;
};

/* To be kept in private memory. */
struct slot_claim {
    struct ledger_header *header; /* shared; stays mapped */
    struct ledger_slot *slot;     /* shared; stays mapped */
    uint64_t offset;              /* of the slot in the file */
    uint32_t size;                /* of the slot, bytes */
    int32_t pid;                  /* counted by slot_count_run() */
    uint32_t previous;            /* page of the slot before it in the bucket of `pid`; 0: none */
    uint32_t need;                /* bytes that were asked for */
    uint32_t stub_bytes;          /* of stubs, at the end of the slot: left as they are */
    bool is_new;                  /* nobody had the slot before: it has zeros */
};

/* Opens the file of the ledger of the spool directory `spool`, without a look at it. `path` is
 * scratch space of `room` bytes. Returns the descriptor, or a negative number. */
int slot_open_file(const char *spool, char *path, size_t room);

/* Opens the ledger of the spool directory `spool`, which must belong to `user`, the process's own.
 * The kernel's pages have `page_bytes`. `path` is scratch space of SLOT_PATH_ROOM bytes. Returns 1,
 * or 0 where there is no such ledger. */
int slot_open_ledger(const char *spool, uint32_t user, size_t page_bytes, char *path,
                     struct slot_ledger *ledger);

/* As slot_open_ledger(), for the open file `fd`, of which the first `bytes` get mapped: whole pages
 * of the ledger. slot_unmap_ledger() takes the same number. */
int slot_map_ledger(int fd, uint32_t user, size_t page_bytes, size_t bytes,
                    struct slot_ledger *ledger);
void slot_unmap_ledger(const struct slot_ledger *ledger, size_t bytes);

/* Claims a slot with room for `size` bytes (head and fields) beside the stubs that it has. Where
 * `may_leave_stub` is set, it is one in which a quarter is left for stubs, unless it is of the
 * largest size. Returns 1, or 0 where no slot can be claimed, which is counted in the ledger. The
 * slot's state is still LEDGER_FREE. */
int slot_claim(const struct slot_ledger *ledger, size_t size, bool may_leave_stub,
               struct slot_claim *claim);

/* Closes the file. The header stays mapped where `keep` is set. */
void slot_close_ledger(const struct slot_ledger *ledger, int keep);

/* Counts a run of the process `pid` as begun. Returns whether no earlier one of this process can be
 * unsigned. */
int slot_count_run(struct slot_claim *claim, int32_t pid);

/* Writes `head` (whose magic, offset, size and state do not matter) and `size` bytes of fields into
 * the slot, which has room for them, and publishes it. The last `blank` bytes of the fields are
 * zeros, and are not written where the slot has them: that would touch pages. */
void slot_publish(const struct slot_claim *claim, const struct ledger_slot *head,
                  const void *fields, size_t size, size_t blank);

/* Signs the end as `by` says. Memory writes only. */
void slot_end(const struct slot_claim *claim, uint64_t end_ns, enum ledger_end by);

/* Whether the slot may have stubs. The first one of a slot takes the slot's size off what slots
 * with stubs may have of the ledger. Memory writes only. */
bool slot_may_have_stubs(const struct slot_claim *claim);

/* Replaces the capture by the stub that was written, so that `stub_bytes` of the slot are stubs,
 * and gives the slot to the next process that wants one of its size, where it has room for a
 * capture like this one. Memory writes only. */
void slot_leave_stub(const struct slot_claim *claim, uint32_t stub_bytes);

/* Discards the capture of a run of `run_ns` that has no room for a stub, and counts that. The slot
 * is for the next process. Memory writes only. */
void slot_discard(const struct slot_claim *claim, uint64_t run_ns);
