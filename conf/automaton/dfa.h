/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A deterministic automaton that decides which rule of a list matches a whole text.
 */
#pragma once

#include <stdint.h>

#include "conf/automaton/nfa.h"

#define DFA_MAX_STATES 20000u /* before minimisation; cells are uint16_t */

struct dfa {
    uint32_t states;       /* state POLICY_DEAD accepts nothing and is never left */
    uint32_t classes;      /* of bytes that all states treat alike, 1..256 */
    uint32_t start;        /* state */
    uint8_t class_of[256]; /* per byte */
    uint16_t *next;        /* owned: states * classes, row by row */
    uint16_t *accepts;     /* owned: per state; 0 or 1 + the first rule that matches */
};

/* Builds the automaton of all rules of `nfa` (at least one). `first_of` groups neighbouring rules
 * that are equals: per rule, the first rule of its group, which is the rule itself where it has no
 * equals. Where rules of one group match, any of them may be accepted; that can save most states.
 * Returns 0, and dfa_free() releases `*out`; -E2BIG: more than DFA_MAX_STATES, or too
 * much work, and `*culprit` is the rule, from 0, that takes the largest part in it; -ENOMEM. */
int dfa_build(const struct nfa *nfa, const uint32_t *first_of, struct dfa *out, uint32_t *culprit);

/* Replaces `*dfa` by the smallest automaton that decides the same. Returns 0, or -ENOMEM and leaves
 * it as it is. */
int dfa_minimise(struct dfa *dfa);

void dfa_free(struct dfa *dfa);
