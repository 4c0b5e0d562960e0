/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/memory.h"

/* Loops that the compiler must not turn into calls of the very function they implement. */
#define NOT_A_CALL __attribute__((optimize("no-tree-loop-distribute-patterns")))

NOT_A_CALL void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    return memmove(to, from, size);
}

/* Eight bytes at any address. */
typedef uint64_t word __attribute__((may_alias, aligned(1)));

NOT_A_CALL void *memmove(void *to, const void *from, size_t size)
{
    unsigned char *target = to;
    const unsigned char *source = from;
    if (target <= source) {
        for (; size >= sizeof(word); size -= sizeof(word)) {
            *(word *)target = *(const word *)source;
            target += sizeof(word);
            source += sizeof(word);
        }
        for (size_t i = 0; i < size; i++)
            target[i] = source[i];
    } else {
        while (size-- > 0)
            target[size] = source[size];
    }
    return to;
}

NOT_A_CALL void *memset(void *to, int byte, size_t size)
{
    unsigned char *target = to;
    for (size_t i = 0; i < size; i++)
        target[i] = (unsigned char)byte;
    return to;
}

NOT_A_CALL int memcmp(const void *left, const void *right, size_t size)
{
    const unsigned char *a = left;
    const unsigned char *b = right;
    for (size_t i = 0; i < size; i++) {
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    }
    return 0;
}
