/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parts of a pattern that stand for one byte: [brackets] and \escapes.
 */
#ifndef JOBTRAIL_PATTERN_SET_H
#define JOBTRAIL_PATTERN_SET_H

#include <stddef.h>

#include "conf/automaton/byte_set.h"
#include "conf/automaton/pattern.h"

/* Reads the escape at text[*at], a backslash, and moves `*at` past it. Returns 0, or -EINVAL and
 * fills `*error`. */
int pattern_set_escape(const char *text, size_t *at, struct byte_set *set,
                       struct pattern_error *error);

/* The same for the bracket expression at text[*at], a '['. */
int pattern_set_bracket(const char *text, size_t *at, struct byte_set *set,
                        struct pattern_error *error);

#endif
