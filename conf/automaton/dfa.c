/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Subset construction: a state of the DFA is the set of NFA nodes that a text can have led to.
 * A set is kept as the ascending list of its nodes, without the NFA_EMPTY ones.
 */
#include "conf/automaton/dfa.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/grow.h"
#include "conf/policy/policy.h"

#define BUCKETS    65536u      /* of the hash table of subsets; a power of 2 > 2 * DFA_MAX_STATES */
#define MAX_ITEMS  (16u << 20) /* nodes in all subsets together */
#define MAX_EFFORT (UINT64_C(1) << 29) /* steps over nodes and words; about a second */

struct subset {
    uint32_t first; /* in builder.item */
    uint32_t count;
    uint32_t hash;
};

/* A rule's nodes. */
struct extent {
    uint32_t first, last;
    uint32_t accept; /* the NFA_ACCEPT one */
};

struct builder {
    const struct nfa *nfa;
    struct dfa dfa;
    struct byte_set *classes; /* per set: the classes of its bytes */
    struct subset *subset;    /* per state */
    uint32_t *item;           /* the subsets' nodes */
    uint32_t items;
    size_t items_room;
    uint32_t *bucket;         /* 1 + state, or 0; open addressing */
    uint64_t *reached;        /* bitmap: nodes of the subset being collected */
    uint64_t *takers;         /* a bitmap per class, see find_takers() */
    uint64_t *universal;      /* bitmap: see nfa.h */
    struct extent *extent;    /* per rule */
    const uint32_t *first_of; /* per rule */
    uint32_t *stack;          /* of nodes whose edges are still to be followed */
    uint32_t stacked;
    uint32_t *share; /* per rule: its nodes in all subsets */
    uint64_t effort;
};

/* Splits the bytes into classes that no set of the NFA tells apart. Returns how many. */
static uint32_t split_bytes(const struct nfa *nfa, uint8_t class_of[256])
{
    uint32_t classes = 1;
    memset(class_of, 0, 256);
    for (uint32_t i = 0; i < nfa->sets && classes < 256; i++) {
        int split_to[256], outside[256];
        memset(split_to, -1, sizeof split_to);
        memset(outside, 0, sizeof outside);
        for (unsigned byte = 0; byte < 256; byte++)
            if (!byte_set_has(&nfa->set[i], byte))
                outside[class_of[byte]] = 1;
        for (unsigned byte = 0; byte < 256; byte++) {
            uint8_t class = class_of[byte];
            if (!byte_set_has(&nfa->set[i], byte) || !outside[class])
                continue;
            if (split_to[class] < 0)
                split_to[class] = (int)classes++;
            class_of[byte] = (uint8_t)split_to[class];
        }
    }
    return classes;
}

static uint32_t bitmap_words(const struct nfa *nfa)
{
    return (nfa->nodes + 63) / 64;
}

/* Puts a node into the subset being collected. */
static void reach(struct builder *builder, uint32_t node)
{
    uint64_t bit = UINT64_C(1) << (node % 64);
    if (node == NFA_NONE || (builder->reached[node / 64] & bit) != 0)
        return;
    builder->reached[node / 64] |= bit;
    builder->stack[builder->stacked++] = node;
}

/* Adds what can be reached without reading a byte. */
static void close_subset(struct builder *builder)
{
    while (builder->stacked > 0) {
        const struct nfa_node *node = &builder->nfa->node[builder->stack[--builder->stacked]];
        builder->effort++;
        if (node->kind != NFA_EMPTY)
            continue;
        reach(builder, node->next[0]);
        reach(builder, node->next[1]);
    }
}

static void clear_bits(uint64_t *bitmap, uint32_t from, uint32_t to)
{
    for (; from < to && from % 64 != 0; from++)
        bitmap[from / 64] &= ~(UINT64_C(1) << (from % 64));
    for (; from + 64 <= to; from += 64)
        bitmap[from / 64] = 0;
    for (; from < to; from++)
        bitmap[from / 64] &= ~(UINT64_C(1) << (from % 64));
}

/* Where a rule matches whatever follows, drops from the subset being collected the nodes of rules
 * that cannot change the decision any more: later ones, and its equals (see dfa_build()). */
static void prune_subset(struct builder *builder)
{
    const struct nfa *nfa = builder->nfa;
    for (uint32_t i = 0; i < bitmap_words(nfa); i++) {
        uint64_t word = builder->reached[i] & builder->universal[i];
        for (; word != 0; word &= word - 1) {
            uint32_t rule = nfa->node[i * 64 + (uint32_t)__builtin_ctzll(word)].rule;
            const struct extent *extent = &builder->extent[rule];
            if ((builder->reached[extent->accept / 64] >> (extent->accept % 64) & 1) == 0)
                continue;
            const struct extent *first = &builder->extent[builder->first_of[rule]];
            clear_bits(builder->reached, first->first, extent->first);
            clear_bits(builder->reached, extent->last + 1, nfa->nodes);
            return;
        }
    }
}

/* Moves the collected subset to the end of the items, and clears the bitmap. */
static int collect_subset(struct builder *builder, struct subset *out)
{
    struct subset subset = {builder->items, 0, 2166136261u}; /* FNV-1a's basis and prime */
    uint32_t needed = builder->items + builder->nfa->nodes;
    int error = needed > MAX_ITEMS ? -E2BIG : GROW_TO(builder->item, builder->items_room, needed);
    if (error != 0)
        return error;
    for (uint32_t i = 0; i < bitmap_words(builder->nfa); i++) {
        for (uint64_t word = builder->reached[i]; word != 0; word &= word - 1) {
            uint32_t node = i * 64 + (uint32_t)__builtin_ctzll(word);
            if (builder->nfa->node[node].kind == NFA_EMPTY)
                continue;
            builder->item[subset.first + subset.count++] = node;
            subset.hash = (subset.hash ^ node) * 16777619u;
        }
        builder->reached[i] = 0;
    }
    builder->effort += 2 * bitmap_words(builder->nfa) + subset.count;
    *out = subset;
    return 0;
}

static bool is_same_subset(const struct builder *builder, const struct subset *a,
                           const struct subset *b)
{
    return a->hash == b->hash && a->count == b->count &&
           memcmp(builder->item + a->first, builder->item + b->first,
                  a->count * sizeof *builder->item) == 0;
}

/* The bucket of the state with that subset, or the empty one where it belongs. */
static uint32_t *find_bucket(const struct builder *builder, const struct subset *subset)
{
    uint32_t at = (subset->hash ^ subset->hash >> 16) % BUCKETS;
    while (builder->bucket[at] != 0 &&
           !is_same_subset(builder, subset, &builder->subset[builder->bucket[at] - 1]))
        at = (at + 1) % BUCKETS;
    return &builder->bucket[at];
}

static int append_state(struct builder *builder, const struct subset *subset)
{
    uint32_t state = builder->dfa.states;
    uint32_t accepts = 0;
    if (state == DFA_MAX_STATES)
        return -E2BIG;
    for (uint32_t i = 0; i < subset->count; i++) {
        const struct nfa_node *node = &builder->nfa->node[builder->item[subset->first + i]];
        builder->share[node->rule]++;
        if (node->kind == NFA_ACCEPT && (accepts == 0 || node->rule + 1 < accepts))
            accepts = node->rule + 1;
    }
    builder->subset[state] = *subset;
    builder->dfa.accepts[state] = (uint16_t)accepts;
    builder->items += subset->count;
    builder->dfa.states++;
    return 0;
}

/* The state of the subset being collected: an earlier one, or a new one. */
static int state_of(struct builder *builder, uint16_t *out)
{
    struct subset subset;
    close_subset(builder);
    if (builder->effort > MAX_EFFORT)
        return -E2BIG;
    prune_subset(builder);
    int error = collect_subset(builder, &subset);
    if (error != 0)
        return error;
    uint32_t *bucket = find_bucket(builder, &subset);
    if (*bucket == 0) {
        error = append_state(builder, &subset);
        if (error != 0)
            return error;
        *bucket = builder->dfa.states;
    }
    *out = (uint16_t)(*bucket - 1);
    return 0;
}

/* Per class, the bitmap of the subset's nodes that take its bytes, of as many words as are
 * returned. */
static size_t find_takers(struct builder *builder, const struct subset *subset)
{
    size_t words = (subset->count + 63) / 64;
    memset(builder->takers, 0, builder->dfa.classes * words * sizeof *builder->takers);
    for (uint32_t i = 0; i < subset->count; i++) {
        const struct nfa_node *node = &builder->nfa->node[builder->item[subset->first + i]];
        const struct byte_set *classes = &builder->classes[node->set];
        for (unsigned word = 0; node->kind == NFA_BYTES && word < 4; word++)
            for (uint64_t left = classes->word[word]; left != 0; left &= left - 1) {
                size_t class = word * 64 + (unsigned)__builtin_ctzll(left);
                builder->takers[class * words + i / 64] |= UINT64_C(1) << (i % 64);
            }
    }
    builder->effort += (uint64_t)subset->count * builder->dfa.classes;
    return words;
}

/* Fills the row of a state. Most classes of bytes lead from it to the same state, which is looked
 * for once. */
static int expand_state(struct builder *builder, uint32_t state)
{
    uint16_t *row = builder->dfa.next + (size_t)state * builder->dfa.classes;
    struct subset subset = builder->subset[state];
    size_t words = find_takers(builder, &subset);
    for (uint32_t class = 0; class < builder->dfa.classes; class ++) {
        const uint64_t *takers = builder->takers + class * words;
        uint32_t same = 0;
        while (same < class &&
               memcmp(builder->takers + same * words, takers, words * sizeof *takers) != 0)
            same++;
        if (same < class) {
            row[class] = row[same];
            continue;
        }
        for (uint32_t i = 0; i < subset.count; i++)
            if ((takers[i / 64] >> (i % 64) & 1) != 0)
                reach(builder, builder->nfa->node[builder->item[subset.first + i]].next[0]);
        int error = state_of(builder, &row[class]);
        if (error != 0)
            return error;
    }
    return 0;
}

static int build_states(struct builder *builder)
{
    uint16_t state;
    int error = state_of(builder, &state); /* the empty subset: POLICY_DEAD */
    if (error == 0) {
        reach(builder, builder->nfa->start);
        error = state_of(builder, &state);
    }
    if (error != 0)
        return error;
    builder->dfa.start = state;
    for (uint32_t i = 0; error == 0 && i < builder->dfa.states; i++)
        error = expand_state(builder, i);
    return error;
}

static int prepare_builder(struct builder *builder)
{
    const struct nfa *nfa = builder->nfa;
    struct dfa *dfa = &builder->dfa;
    dfa->classes = split_bytes(nfa, dfa->class_of);
    dfa->next = calloc((size_t)DFA_MAX_STATES * dfa->classes, sizeof *dfa->next);
    dfa->accepts = calloc(DFA_MAX_STATES, sizeof *dfa->accepts);
    builder->classes = calloc(nfa->sets, sizeof *builder->classes);
    builder->subset = calloc(DFA_MAX_STATES, sizeof *builder->subset);
    builder->bucket = calloc(BUCKETS, sizeof *builder->bucket);
    builder->reached = calloc(bitmap_words(nfa), sizeof *builder->reached);
    builder->takers = calloc((size_t)dfa->classes * bitmap_words(nfa), sizeof *builder->takers);
    builder->universal = calloc(bitmap_words(nfa), sizeof *builder->universal);
    builder->extent = calloc(nfa->rules, sizeof *builder->extent);
    builder->stack = calloc(nfa->nodes, sizeof *builder->stack);
    builder->share = calloc(nfa->rules, sizeof *builder->share);
    if (dfa->next == NULL || dfa->accepts == NULL || builder->classes == NULL ||
        builder->subset == NULL || builder->bucket == NULL || builder->reached == NULL ||
        builder->takers == NULL || builder->stack == NULL || builder->share == NULL ||
        builder->universal == NULL || builder->extent == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < nfa->sets; i++)
        for (unsigned byte = 0; byte < 256; byte++)
            if (byte_set_has(&nfa->set[i], byte))
                byte_set_add(&builder->classes[i], dfa->class_of[byte], dfa->class_of[byte]);
    /* A rule's nodes follow each other, as rules are added one by one. */
    for (uint32_t i = builder->nfa->nodes; i-- > 0;) {
        const struct nfa_node *node = &builder->nfa->node[i];
        struct extent *extent = &builder->extent[node->rule];
        extent->first = i;
        if (extent->last < i)
            extent->last = i;
        if (node->kind == NFA_ACCEPT)
            extent->accept = i;
    }
    return nfa_universal(nfa, builder->universal);
}

static uint32_t largest_share(const struct builder *builder)
{
    uint32_t largest = 0;
    for (uint32_t rule = 1; rule < builder->nfa->rules; rule++)
        if (builder->share[rule] > builder->share[largest])
            largest = rule;
    return largest;
}

static void release_builder(struct builder *builder)
{
    free(builder->classes);
    free(builder->subset);
    free(builder->item);
    free(builder->bucket);
    free(builder->reached);
    free(builder->takers);
    free(builder->universal);
    free(builder->extent);
    free(builder->stack);
    free(builder->share);
}

int dfa_build(const struct nfa *nfa, const uint32_t *first_of, struct dfa *out, uint32_t *culprit)
{
    struct builder builder = {.nfa = nfa, .first_of = first_of};
    int error = prepare_builder(&builder);
    if (error == 0)
        error = build_states(&builder);
    if (error == -E2BIG)
        *culprit = largest_share(&builder);
    if (error == 0)
        *out = builder.dfa;
    else
        dfa_free(&builder.dfa);
    release_builder(&builder);
    return error;
}

void dfa_free(struct dfa *dfa)
{
    free(dfa->next);
    free(dfa->accepts);
    *dfa = (struct dfa){0};
}
