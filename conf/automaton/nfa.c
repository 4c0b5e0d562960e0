/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/automaton/nfa.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "conf/base/grow.h"

static int reserve(struct nfa *nfa, uint64_t nodes)
{
    return nodes > NFA_MAX_NODES ? -E2BIG : GROW_TO(nfa->node, nfa->nodes_room, nodes);
}

int nfa_add(struct nfa *nfa, enum nfa_kind kind, uint32_t *out)
{
    int error = reserve(nfa, (uint64_t)nfa->nodes + 1);
    if (error != 0)
        return error;
    nfa->node[nfa->nodes] =
        (struct nfa_node){.kind = kind, .next = {NFA_NONE, NFA_NONE}, .rule = nfa->rules};
    *out = nfa->nodes++;
    return 0;
}

int nfa_add_bytes(struct nfa *nfa, const struct byte_set *set, uint32_t *out)
{
    int error = nfa_add(nfa, NFA_BYTES, out);
    if (error == 0)
        error = GROW(nfa->set, nfa->sets);
    if (error != 0)
        return error;
    nfa->node[*out].set = nfa->sets;
    nfa->set[nfa->sets++] = *set;
    return 0;
}

int nfa_repeat(struct nfa *nfa, uint32_t length, uint32_t times)
{
    uint32_t first = nfa->nodes - length;
    int error = reserve(nfa, nfa->nodes + (uint64_t)length * times);
    if (error != 0)
        return error;
    for (uint32_t i = 0; i < length * times; i++) {
        struct nfa_node node = nfa->node[first + i % length];
        uint32_t shift = (i / length + 1) * length;
        for (int edge = 0; edge < 2; edge++)
            if (node.next[edge] != NFA_NONE && node.next[edge] >= first)
                node.next[edge] += shift;
        nfa->node[nfa->nodes++] = node;
    }
    return 0;
}

void nfa_free(struct nfa *nfa)
{
    free(nfa->node);
    free(nfa->set);
    *nfa = (struct nfa){0};
}

/* ---- Automata that accept all ---------------------------------------------------------------- */

/* At first each node that reads any byte is a candidate. A candidate is dropped unless both the end
 * of the rule and a candidate can be reached after it without reading a byte; this is repeated
 * until none is dropped. */

struct nfa_search {
    const struct nfa *nfa;
    uint64_t *candidate; /* bitmap */
    uint32_t *seen;      /* per node: the last walk that reached it */
    uint32_t *stack;
    uint32_t walk;
};

static bool is_candidate(const uint64_t *bitmap, uint32_t node)
{
    return bitmap[node / 64] >> (node % 64) & 1;
}

static bool reads_any_byte(const struct nfa *nfa, const struct nfa_node *node)
{
    if (node->kind != NFA_BYTES)
        return false;
    for (int i = 0; i < 4; i++)
        if (nfa->set[node->set].word[i] != UINT64_MAX)
            return false;
    return true;
}

static uint32_t push_node(struct nfa_search *search, uint32_t node, uint32_t stacked)
{
    if (node == NFA_NONE || search->seen[node] == search->walk)
        return stacked;
    search->seen[node] = search->walk;
    search->stack[stacked] = node;
    return stacked + 1;
}

/* Whether the end of the rule and a candidate can be reached from `start` without a byte. */
static bool is_universal_after(struct nfa_search *search, uint32_t start)
{
    bool has_end = false, has_candidate = false;
    search->walk++;
    uint32_t stacked = push_node(search, start, 0);
    while (stacked > 0) {
        uint32_t at = search->stack[--stacked];
        const struct nfa_node *node = &search->nfa->node[at];
        has_end |= node->kind == NFA_ACCEPT;
        has_candidate |= is_candidate(search->candidate, at);
        if (node->kind != NFA_EMPTY)
            continue;
        stacked = push_node(search, node->next[0], stacked);
        stacked = push_node(search, node->next[1], stacked);
    }
    return has_end && has_candidate;
}

static bool drop_candidates(struct nfa_search *search)
{
    bool dropped = false;
    for (uint32_t i = 0; i < search->nfa->nodes; i++) {
        if (!is_candidate(search->candidate, i) ||
            is_universal_after(search, search->nfa->node[i].next[0]))
            continue;
        search->candidate[i / 64] &= ~(UINT64_C(1) << (i % 64));
        dropped = true;
    }
    return dropped;
}

int nfa_universal(const struct nfa *nfa, uint64_t *bitmap)
{
    struct nfa_search search = {.nfa = nfa, .candidate = bitmap};
    search.seen = calloc(nfa->nodes, sizeof *search.seen);
    search.stack = calloc(nfa->nodes, sizeof *search.stack);
    int error = search.seen == NULL || search.stack == NULL ? -ENOMEM : 0;
    for (uint32_t i = 0; error == 0 && i < nfa->nodes; i++)
        if (reads_any_byte(nfa, &nfa->node[i]))
            bitmap[i / 64] |= UINT64_C(1) << (i % 64);
    while (error == 0 && drop_candidates(&search))
        ;
    free(search.seen);
    free(search.stack);
    return error;
}
