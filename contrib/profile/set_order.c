/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/set_order.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"

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

static const char *name_of(const struct profile_set *set, uint32_t stack)
{
    return set->names.text[set->stacks.key[stack].what];
}

size_t set_stack_text(const struct profile_set *set, uint32_t stack, char *text, size_t room)
{
    size_t length = 0;
    for (;;) {
        const char *name = name_of(set, stack);
        size_t size = strnlen(name, room - 1 - length);
        memcpy(text + length, name, size);
        length += size;
        if (stack == PROFILE_SET_INIT || length + 1 >= room)
            break;
        text[length++] = '<';
        stack = set->stacks.key[stack].parent;
    }
    text[length] = '\0';
    return length;
}

struct sorted {
    uint64_t hash;
    uint32_t stack, depth;
};

/* One with fewer callers comes first, then the one whose innermost name that differs does. */
static int compare(const void *left, const void *right, void *context)
{
    const struct profile_set *set = context;
    const struct sorted *a = left, *b = right;
    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    if (a->depth != b->depth)
        return a->depth < b->depth ? -1 : 1;
    uint32_t one = a->stack, other = b->stack;
    while (one != other) {
        int result = strcmp(name_of(set, one), name_of(set, other));
        if (result != 0)
            return result;
        one = set->stacks.key[one].parent;
        other = set->stacks.key[other].parent;
    }
    return 0;
}

int set_order_hash(struct profile_set *set)
{
    char text[SET_HASH_BYTES + 1];
    int error = profile_set_hashes(set);
    for (size_t i = 0; error == 0 && i < set->stacks.count; i++)
        if (set->hash[i] == 0)
            set->hash[i] = stack_hash(text, set_stack_text(set, (uint32_t)i, text, sizeof text));
    return error;
}

static struct sorted *sort(const struct profile_set *set)
{
    size_t count = set->stacks.count;
    struct sorted *sorted = malloc(count * sizeof *sorted);
    for (size_t i = 0; sorted != NULL && i < count; i++) {
        uint32_t depth = i == 0 ? 0 : sorted[set->stacks.key[i].parent].depth + 1;
        sorted[i] = (struct sorted){set->hash[i], (uint32_t)i, depth};
    }
    if (sorted != NULL)
        qsort_r(sorted, count, sizeof *sorted, compare, (void *)(uintptr_t)set);
    return sorted;
}

int set_order_make(struct profile_set *set, struct set_order *order)
{
    size_t count = set->stacks.count;
    *order = (struct set_order){.id = NULL};
    int error = set_order_hash(set);
    CLEANUP_FREE struct sorted *sorted = error == 0 ? sort(set) : NULL;
    order->id = malloc(count * sizeof *order->id);
    order->stack = malloc(count * sizeof *order->stack);
    if (sorted == NULL || order->id == NULL || order->stack == NULL)
        return error != 0 ? error : -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        order->stack[i] = sorted[i].stack;
        order->id[sorted[i].stack] = (uint32_t)i;
    }
    return 0;
}

void set_order_free(struct set_order *order)
{
    free(order->id);
    free(order->stack);
    *order = (struct set_order){.id = NULL};
}
