/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/automaton/nfa.h"

#include <errno.h>
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
