/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * At first each node that reads any byte is a candidate. A candidate is dropped unless both the end
 * of the rule and a candidate can be reached after it without reading a byte; this is repeated
 * until none is dropped.
 */
#include "conf/automaton/nfa_universal.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

struct search {
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

static uint32_t push_node(struct search *search, uint32_t node, uint32_t stacked)
{
    if (node == NFA_NONE || search->seen[node] == search->walk)
        return stacked;
    search->seen[node] = search->walk;
    search->stack[stacked] = node;
    return stacked + 1;
}

/* Whether the end of the rule and a candidate can be reached from `start` without reading a byte.
 */
static bool is_universal_after(struct search *search, uint32_t start)
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

static bool drop_candidates(struct search *search)
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
    struct search search = {.nfa = nfa, .candidate = bitmap};
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
