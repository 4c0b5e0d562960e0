/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The variables by which languages find their hooks (contrib/hooks/hook_variables.h) in a session
 * outside of Slurm.
 */
#ifndef JOBTRAIL_SESSION_HOOKS_H
#define JOBTRAIL_SESSION_HOOKS_H

#include "conf/conf.h"

/* Prints what a session's processes need, a line for each variable, as `jobtrail-submit session`
 * does (jobtrail-submit(8)). A hook is left out that is not installed, that finds no room beside
 * what this process's environment has, or whose variable the end of the session could not give
 * back. */
void session_hooks_print(const struct conf *conf);

#endif
