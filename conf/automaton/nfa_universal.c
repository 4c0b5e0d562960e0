/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * All nodes that read any byte start as candidates. One stays a candidate as long as what follows
 * it without reading a byte has the end of the rule and a candidate.
 */
#include "conf/automaton/nfa_universal.h"

#include <errno.h>
#include <stdlib.h>

struct search {
    const struct nfa *nfa;
    uint64_t *candidate; /* bitmap */
    uint32_t *seen;      /* per node: the last walk that came by */
    uint32_t *stack;
    uint32_t walk;
};

static int has(const uint64_t *bitmap, uint32_t node)
{
    return bitmap[node / 64] >> (node % 64) & 1;
}

static int reads_any(const struct nfa *nfa, const struct nfa_node *node)
{
    if (node->kind != NFA_BYTES)
        return 0;
    for (int i = 0; i < 4; i++)
        if (nfa->set[node->set].word[i] != UINT64_MAX)
            return 0;
    return 1;
}

static uint32_t push(struct search *search, uint32_t node, uint32_t stacked)
{
    if (node == NFA_NONE || search->seen[node] == search->walk)
        return stacked;
    search->seen[node] = search->walk;
    search->stack[stacked] = node;
    return stacked + 1;
}

/* Whether what follows `start` has the end of the rule and a candidate. */
static int leads_on(struct search *search, uint32_t start)
{
    int ends = 0, goes_on = 0;
    search->walk++;
    uint32_t stacked = push(search, start, 0);
    while (stacked > 0) {
        uint32_t at = search->stack[--stacked];
        const struct nfa_node *node = &search->nfa->node[at];
        ends |= node->kind == NFA_ACCEPT;
        goes_on |= has(search->candidate, at);
        if (node->kind != NFA_EMPTY)
            continue;
        stacked = push(search, node->next[0], stacked);
        stacked = push(search, node->next[1], stacked);
    }
    return ends && goes_on;
}

static int drop_candidates(struct search *search)
{
    int dropped = 0;
    for (uint32_t i = 0; i < search->nfa->nodes; i++) {
        if (!has(search->candidate, i) || leads_on(search, search->nfa->node[i].next[0]))
            continue;
        search->candidate[i / 64] &= ~(UINT64_C(1) << (i % 64));
        dropped = 1;
    }
    return dropped;
}

int nfa_universal(const struct nfa *nfa, uint64_t *bitmap)
{
    struct search search = {.nfa = nfa, .candidate = bitmap};
    search.seen = calloc(nfa->nodes, sizeof *search.seen);
    search.stack = calloc(nfa->nodes, sizeof *search.stack);
    int rc = search.seen == NULL || search.stack == NULL ? -ENOMEM : 0;
    for (uint32_t i = 0; rc == 0 && i < nfa->nodes; i++)
        if (reads_any(nfa, &nfa->node[i]))
            bitmap[i / 64] |= UINT64_C(1) << (i % 64);
    while (rc == 0 && drop_candidates(&search))
        ;
    free(search.seen);
    free(search.stack);
    return rc;
}
