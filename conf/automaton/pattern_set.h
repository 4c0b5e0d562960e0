/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parts of a pattern that stand for one byte: [brackets] and \escapes.
 */
#pragma once

#include <stddef.h>

#include "conf/automaton/byte_set.h"
#include "conf/automaton/pattern.h"

/* Fills `*why`. Returns -EINVAL. */
int pattern_fault(struct pattern_error *why, size_t offset, const char *reason, const char *hint);

/* Reads the escape at text[*at], a backslash, and moves `*at` past it. Returns 0, or -EINVAL and
 * fills `*why`. */
int pattern_set_escape(const char *text, size_t *at, struct byte_set *set,
                       struct pattern_error *why);

/* The same for the bracket expression at text[*at], a '['. */
int pattern_set_bracket(const char *text, size_t *at, struct byte_set *set,
                        struct pattern_error *why);
