/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where a rule matches whatever follows: what the trailing '.*' of a pattern leads to.
 */
#ifndef JOBTRAIL_NFA_UNIVERSAL_H
#define JOBTRAIL_NFA_UNIVERSAL_H

#include <stdint.h>

#include "conf/automaton/nfa.h"

/* Sets, in a bitmap of `nfa->nodes` bits that is all zeros, the NFA_BYTES nodes after which the
 * node's rule accepts any text of one byte and more. Returns 0, or
 * -ENOMEM. */
int nfa_universal(const struct nfa *nfa, uint64_t *bitmap);

#endif
