/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Allocating the blocks of a file of final size before they are touched: touching a page without
 * them would be SIGBUS on a full file system.
 */
#ifndef JOBTRAIL_BACKING_H
#define JOBTRAIL_BACKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
