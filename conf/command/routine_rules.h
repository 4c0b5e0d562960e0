/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Single rules of [routines]: what they can match, and which of those about routines have no
 * effect.
 */
#ifndef JOBTRAIL_ROUTINE_RULES_H
#define JOBTRAIL_ROUTINE_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "conf/conf.h"
#include "conf/policy/policy_read.h"

/* A policy that has this rule of [routines] alone; malloc'ed, or NULL. */
void *routine_rule_policy(const struct conf *conf, const struct conf_rule *rule);

/* What each text that the pattern matches begins with: `head` has room for `size` bytes. */
void routine_rule_head(const char *pattern, char *head, size_t size);

/* The library of a rule about routines that names it literally, as `routine:libz\.so\.1:crc.*`
 * does; false: it does not. */
bool routine_rule_library(const struct conf_rule *rule, char *library, size_t size);

/* Whether the rule is about routines, and not about libraries. */
bool routine_rule_is(const struct conf_rule *rule);

/* Of such a rule, whether it can be about routines of the library, by soname or archive's name. */
bool routine_rule_is_of(const struct conf *conf, const struct conf_rule *rule, const char *library);

/* Why the `at`th rule, which is about routines, has no effect: "" where it may have one. `policy`
 * is compiled from `conf`. */
void routine_rule_trouble(const struct conf *conf, const void *policy, size_t at, char *text,
                          size_t size);

#endif
