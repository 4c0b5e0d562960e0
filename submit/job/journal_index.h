/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An index of an array by a number that each entry has; the entries added last are found first.
 * Jobs have tens of thousands of steps. Entries are counted from 1; 0 is none.
 */
#ifndef JOBTRAIL_JOURNAL_INDEX_H
#define JOBTRAIL_JOURNAL_INDEX_H

#include <stddef.h>
#include <stdint.h>

struct journal_index {
    uint32_t *slots; /* owned; of each bucket, then of each entry, the next one. NULL: not made */
    uint32_t mask;   /* buckets - 1, and the most entries */
};

typedef uint32_t journal_key_of(const void *array, size_t i);

/* Adds the `count`th entry of an array, of which the others are in the index; key_of() returns the
 * number of an entry, counted from 0. Returns 0 or -ENOMEM. */
int journal_index_add(struct journal_index *index, size_t count, journal_key_of *key_of,
                      const void *array);

/* The last one of `count` entries that may have the number: the caller must compare. Without an
 * index, the last entry. */
uint32_t journal_index_first(const struct journal_index *index, size_t count, uint32_t key);

/* The one before `entry` that may; 0: none. */
uint32_t journal_index_next(const struct journal_index *index, uint32_t entry);

void journal_index_free(struct journal_index *index);

#endif
