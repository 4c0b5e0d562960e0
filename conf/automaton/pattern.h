/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The patterns of jobtrail.conf: extended regular expressions over bytes, as in XALT's flex rules,
 * that match a whole text. jobtrail.conf(5), PATTERNS, is the reference.
 */
#pragma once

#include <stddef.h>

#include "conf/automaton/nfa.h"

#define PATTERN_MAX_DEPTH  100u /* groups within groups */
#define PATTERN_MAX_REPEAT 255u

struct pattern_error {
    size_t offset;      /* of the offending byte in the pattern */
    const char *reason; /* static */
    const char *hint;   /* static */
};

/* Adds `pattern` to `nfa` as its next rule. Returns 0; -EINVAL: not a pattern; -E2BIG: the
 * automaton has grown beyond NFA_MAX_NODES or NFA_MAX_RULES; both fill `*why`; -ENOMEM. After an
 * error the automaton is good for nfa_free() only. */
int pattern_add(struct nfa *nfa, const char *pattern, struct pattern_error *why);
