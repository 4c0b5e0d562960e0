/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The variables by which languages find their hooks. The SPANK plugin sets them in a job's tasks.
 * In sessions outside of Slurm the modulefile sets them to the values that jobtrail-submit prints.
 * The user's values stay in effect: a list gets one more entry. Where a variable names one file,
 * the user's file is saved in a variable of ours, and the hook runs it at its end. XALT_DIR is set
 * where it is unset, and XALT_RUN_UUID with it: hooks for XALT call
 * $XALT_DIR/libexec/xalt_record_pkg where both are set.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>

struct hook_variable {
    const char *name;
    const char *path;           /* below the directory of hooks */
    const char *saved;          /* what keeps the user's value, or NULL */
    char separator;             /* of a list, or 0 */
    const char *before, *after; /* the path, in an entry of a list; NULL: nothing */
};

enum { HOOK_VARIABLES = 6, HOOK_VALUE_MAX = PATH_MAX + 64 };

extern const struct hook_variable hook_variables[HOOK_VARIABLES];

/* What a hook for XALT takes for the uuid of its run. XALT's library sets it in each process.
 * jobtrail-record-pkg, which finds the run by itself, gets a uuid of none. */
#define HOOK_XALT_RUN  "XALT_RUN_UUID"
#define HOOK_XALT_NONE "00000000-0000-0000-0000-000000000000"

/* Writes the variable's value, or the entry of a list. `hooks` is the directory of hooks. Returns
 * false where the hook is not installed there, or the variable cannot have its path. */
bool hook_variable_value(const struct hook_variable *variable, const char *hooks,
                         char value[HOOK_VALUE_MAX]);

/* Whether it is a list, which gets one more entry. If it is none and has no `saved`, it is set
 * where it is unset. */
bool hook_variable_is_list(const struct hook_variable *variable);

/* Whether an entry can be put before the `user`'s value of a list. */
bool hook_variable_has_room(const struct hook_variable *variable, const char *user);
