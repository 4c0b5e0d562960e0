/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finds the functions of other libraries that would be called if ours of that name were not there.
 */
#pragma once

#include <stdint.h>

/* The first function of this name behind the object that has `ours`. 0: there is none. Constructors
 * of other libraries may ask before ours has run. */
uintptr_t profile_next_function(const char *name, uintptr_t ours);

/* What a library of the program has to be called at each entry and exit of instrumented functions,
 * as tracers do. */
typedef void profile_hook(void *function, void *caller);

struct profile_hooks {
    uint32_t state;             /* atomic; enum profile_hooks_state; stored last */
    profile_hook *enter, *exit; /* NULL: none */
};

enum profile_hooks_state { HOOKS_UNKNOWN = 0, HOOKS_NONE, HOOKS_THERE };

/* Finds the hooks that would be called if ours were not there. Those of libc are empty, and are
 * none; nothing behind them would be called. `ours`: the address of our own. */
void profile_next_hooks(uintptr_t ours, struct profile_hooks *hooks);
