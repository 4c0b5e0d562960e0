/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Compiles a configuration into the bytes of a policy, whose format is in policy.h.
 */
#pragma once

#include <stddef.h>

#include "conf/conf.h"

/* Compiles `conf` into `*size` malloc'ed bytes at `*bytes`, a policy that policy_usable() accepts.
 * Returns 0; or -EINVAL (a pattern is wrong), -E2BIG (the rules need too large an automaton or
 * file), -ENOMEM, and fills `*why`. */
int compile_policy(const struct conf *conf, void **bytes, size_t *size, struct conf_error *why);

/* As compile_policy(). The sampling tables that the policy `before`, which is usable or NULL, knows
 * are known to this one too: the last POLICY_KNOWN_TABLES_MAX. So a flush can tell which table a
 * run was sampled by that began before. */
int compile_policy_after(const struct conf *conf, const void *before, void **bytes, size_t *size,
                         struct conf_error *why);

/* As compile_policy(), but of the lists of rules only that of [redact] is not empty: for programs
 * that take secrets out of command lines and that a user waits for. */
int compile_redaction(const struct conf *conf, void **bytes, size_t *size, struct conf_error *why);
