/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A nondeterministic automaton for a list of rules: nodes in one array, edges by index, so that a
 * piece of it is copied by copying a range.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "conf/automaton/byte_set.h"

#define NFA_MAX_NODES 100000u
#define NFA_MAX_RULES 65535u
#define NFA_NONE      UINT32_MAX

enum nfa_kind {
    NFA_EMPTY,  /* both edges are taken without reading a byte */
    NFA_BYTES,  /* next[0] is taken by reading a byte of set[set] */
    NFA_ACCEPT, /* the end of a rule */
};

struct nfa_node {
    enum nfa_kind kind;
    uint32_t next[2]; /* nodes, or NFA_NONE */
    uint32_t set;     /* index */
    uint32_t rule;    /* that the node belongs to, from 0 */
};

/* Starts as all zeros; nfa_free() releases it. */
struct nfa {
    struct nfa_node *node; /* owned */
    uint32_t nodes;
    size_t nodes_room;
    struct byte_set *set; /* owned */
    uint32_t sets;
    uint32_t start; /* node */
    uint32_t rules;
};

/* Adds a node without edges that belongs to rule `nfa->rules`, the one under construction. Returns
 * 0 and its index in `*out`; -E2BIG: more than NFA_MAX_NODES; -ENOMEM. Moves the node array. */
int nfa_add(struct nfa *nfa, enum nfa_kind kind, uint32_t *out);

/* Adds an NFA_BYTES node for `set`. Returns as nfa_add(). */
int nfa_add_bytes(struct nfa *nfa, const struct byte_set *set, uint32_t *out);

/* Appends `times` copies of the last `length` nodes, the edges among them included; edges to other
 * nodes stay as they are. Returns 0, -E2BIG or -ENOMEM. Moves the node array. */
int nfa_repeat(struct nfa *nfa, uint32_t length, uint32_t times);

void nfa_free(struct nfa *nfa);

/* ---- Automata that accept all ---------------------------------------------------------------- */

/* Where a rule matches whatever follows: what the trailing '.*' of a pattern leads to. */

/* Sets, in a bitmap of `nfa->nodes` bits that is all zeros, the NFA_BYTES nodes after which the
 * node's rule accepts any text of one byte and more. Returns 0, or -ENOMEM. */
int nfa_universal(const struct nfa *nfa, uint64_t *bitmap);
