/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A set of byte values.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct byte_set {
    uint64_t word[4];
};

static inline bool byte_set_has(const struct byte_set *set, unsigned byte)
{
    return (set->word[byte / 64] >> (byte % 64)) & 1;
}

/* Adds first..last, both included, both below 256. */
static inline void byte_set_add(struct byte_set *set, unsigned first, unsigned last)
{
    for (unsigned byte = first; byte <= last; byte++)
        set->word[byte / 64] |= UINT64_C(1) << (byte % 64);
}

static inline void byte_set_unite(struct byte_set *set, const struct byte_set *other)
{
    for (unsigned i = 0; i < 4; i++)
        set->word[i] |= other->word[i];
}

static inline void byte_set_invert(struct byte_set *set)
{
    for (unsigned i = 0; i < 4; i++)
        set->word[i] = ~set->word[i];
}
