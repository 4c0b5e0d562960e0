/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/set_order.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "contrib/profile/numbers.h"

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

/* ---- What is missing in a set ---------------------------------------------------------------- */

static int by_rank(const void *left, const void *right)
{
    const struct profile_rank *a = *(const struct profile_rank *const *)left;
    const struct profile_rank *b = *(const struct profile_rank *const *)right;
    if (a->program != b->program)
        return a->program < b->program ? -1 : 1;
    if (a->program == 0 && a->step != b->step)
        return a->step < b->step ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* mpirun has ranks on its own node in another step than those on others. */
static bool is_same_program(const struct profile_rank *a, const struct profile_rank *b)
{
    return a->program == b->program && (a->program != 0 || a->step == b->step);
}

int missing_ranks(const struct profile_set *set, const bool *is_taken,
                  void (*tell)(void *context, uint32_t step, uint32_t first, uint32_t last,
                               uint32_t size),
                  void *context)
{
    CLEANUP_FREE const struct profile_rank **sorted = calloc(set->rank_count + 1, sizeof *sorted);
    size_t count = 0;
    if (sorted == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < set->rank_count; i++)
        if (is_taken == NULL || is_taken[i])
            sorted[count++] = &set->ranks[i];
    qsort(sorted, count, sizeof *sorted, by_rank);
    for (size_t i = 0; i < count;) {
        const struct profile_rank *one = sorted[i];
        uint32_t step = one->step, next = 0, size = 0;
        for (size_t j = i; j < count && is_same_program(sorted[j], one); j++)
            if (sorted[j]->size > size)
                size = sorted[j]->size;
        for (; i < count && is_same_program(sorted[i], one); i++) {
            uint32_t rank = sorted[i]->rank;
            if (rank < size && rank > next && size > 1)
                tell(context, step, next, rank - 1, size);
            if (rank < size && rank >= next)
                next = rank + 1;
        }
        if (next < size && size > 1)
            tell(context, step, next, size - 1, size);
    }
    return 0;
}

static int by_node(const void *left, const void *right)
{
    const struct profile_rank *a = *(const struct profile_rank *const *)left;
    const struct profile_rank *b = *(const struct profile_rank *const *)right;
    int result = compare_numbers(a->step, b->step);
    return result != 0 ? result : strcmp(a->node, b->node);
}

/* The step of the first rank; sets `*next` to behind its last one. */
static struct missing_nodes look(const struct profile_rank *const *sorted, size_t count,
                                 uint64_t now_ns, size_t *next)
{
    struct missing_nodes step = {.step = sorted[0]->step, .there = 1};
    uint64_t newest = 0;
    size_t i = 0;
    for (; i < count && sorted[i]->step == step.step; i++) {
        if (i > 0 && strcmp(sorted[i]->node, sorted[i - 1]->node) != 0)
            step.there++;
        if (sorted[i]->step_nodes > step.nodes)
            step.nodes = sorted[i]->step_nodes;
        if (sorted[i]->end_ns > newest)
            newest = sorted[i]->end_ns;
    }
    step.is_awaited =
        now_ns < newest || now_ns - newest < MISSING_NODES_WAIT_S * UINT64_C(1000000000);
    *next = i;
    return step;
}

int missing_nodes(const struct profile_set *set, uint64_t now_ns,
                  void (*tell)(void *context, const struct missing_nodes *missing), void *context)
{
    CLEANUP_FREE const struct profile_rank **sorted = calloc(set->rank_count + 1, sizeof *sorted);
    if (sorted == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < set->rank_count; i++)
        sorted[i] = &set->ranks[i];
    qsort(sorted, set->rank_count, sizeof *sorted, by_node);
    for (size_t i = 0, taken; i < set->rank_count; i += taken) {
        const struct missing_nodes step = look(sorted + i, set->rank_count - i, now_ns, &taken);
        if (step.there < step.nodes)
            tell(context, &step);
    }
    return 0;
}
