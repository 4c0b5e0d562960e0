/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/stack_hash.h"

#include <endian.h>
#include <string.h>

static uint32_t jenkins(const unsigned char *bytes, size_t size)
{
    uint32_t hash = 0;
    for (size_t i = 0; i < size; i++) {
        hash += bytes[i];
        hash += hash << 10;
        hash ^= hash >> 6;
    }
    hash += hash << 3;
    hash ^= hash >> 11;
    return hash + (hash << 15);
}

static uint32_t murmur_scramble(uint32_t part)
{
    part *= 0xcc9e2d51;
    return (part << 15 | part >> 17) * 0x1b873593;
}

static uint32_t murmur3(const unsigned char *bytes, size_t size)
{
    uint32_t hash = 0x5c0940e9, part = 0; /* Vftrace's seed */
    size_t at = 0;
    for (; size - at >= sizeof part; at += sizeof part) {
        memcpy(&part, bytes + at, sizeof part);
        hash ^= murmur_scramble(le32toh(part));
        hash = (hash << 13 | hash >> 19) * 5 + 0xe6546b64;
    }
    part = 0;
    memcpy(&part, bytes + at, size - at);
    hash ^= murmur_scramble(le32toh(part));
    hash ^= (uint32_t)size;
    hash = (hash ^ hash >> 16) * 0x85ebca6b;
    hash = (hash ^ hash >> 13) * 0xc2b2ae35;
    return hash ^ hash >> 16;
}

uint64_t stack_hash(const char *text, size_t size)
{
    const unsigned char *bytes = (const unsigned char *)text;
    return (uint64_t)jenkins(bytes, size) << 32 | murmur3(bytes, size);
}
