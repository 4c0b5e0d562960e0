/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The variables by which languages find their hooks. The SPANK plugin sets them in a job's tasks,
 * and in sessions outside of Slurm the modulefile does, with what jobtrail-submit tells it. What
 * the user has in them stays in force: a list gets one more entry, and where a variable names one
 * file, the user's is kept in a variable of ours, for the hook to go on with.
 */
#ifndef JOBTRAIL_HOOK_VARIABLES_H
#define JOBTRAIL_HOOK_VARIABLES_H

#include <limits.h>

struct hook_variable {
    const char *name;
    const char *path;           /* below the directory of hooks */
    const char *saved;          /* what keeps the user's value; NULL: the variable is a list */
    char separator;             /* of a list */
    const char *before, *after; /* the path, in an entry of a list; NULL: nothing */
};

enum { HOOK_VARIABLES = 5, HOOK_VALUE_MAX = PATH_MAX + 64 };

extern const struct hook_variable hook_variables[HOOK_VARIABLES];

/* yes or no: whether what comes with a language is reported too. */
#define HOOK_STANDARD_LIBRARY "JOBTRAIL_STANDARD_LIBRARY"

/* Writes what the variable is to have: of a list, one entry. `hooks` is the directory of hooks.
 * Returns 0 where the hook is not installed there, or its path cannot be written. */
int hook_variable_value(const struct hook_variable *variable, const char *hooks,
                        char value[HOOK_VALUE_MAX]);

/* Whether an entry can stand in front of the `user`'s value of a list. */
int hook_variable_has_room(const struct hook_variable *variable, const char *user);

#endif
