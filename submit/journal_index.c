/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "journal_index.h"

#include <errno.h>
#include <stdlib.h>

static uint32_t bucket_of(const struct journal_index *index, uint32_t key)
{
    return (key * UINT32_C(2654435769) >> 8) & index->mask; /* Knuth's multiplicative hashing */
}

int journal_index_make(struct journal_index *index, size_t count,
                       uint32_t (*key_of)(const void *array, size_t i), const void *array)
{
    struct journal_index made = {.mask = 0};
    if (count > UINT32_MAX / 4)
        return -ENOMEM;
    while (made.mask < count)
        made.mask = made.mask * 2 + 1;
    made.slots = calloc(made.mask + count + 1, sizeof *made.slots);
    if (made.slots == NULL)
        return -ENOMEM;
    for (uint32_t entry = 1; entry <= count; entry++) {
        uint32_t *bucket = &made.slots[bucket_of(&made, key_of(array, entry - 1))];
        made.slots[made.mask + entry] = *bucket;
        *bucket = entry;
    }
    *index = made;
    return 0;
}

uint32_t journal_index_first(const struct journal_index *index, size_t count, uint32_t key)
{
    return index->slots == NULL ? (uint32_t)count : index->slots[bucket_of(index, key)];
}

uint32_t journal_index_next(const struct journal_index *index, uint32_t entry)
{
    return index->slots == NULL ? entry - 1 : index->slots[index->mask + entry];
}

void journal_index_free(struct journal_index *index)
{
    free(index->slots);
    *index = (struct journal_index){.slots = NULL};
}
