/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The variables by which languages find their hooks (contrib/hooks/hook_variables.h) in a session
 * outside of Slurm.
 */
#ifndef JOBTRAIL_SESSION_HOOKS_H
#define JOBTRAIL_SESSION_HOOKS_H

#include "conf/conf.h"

/* Prints a line for each variable that a session's processes need, in the form of `jobtrail-submit
 * session` (jobtrail-submit(8)). A hook is left out in three cases: it is not installed; the value
 * that the variable has in this process leaves no room for it; or that value could not be restored
 * at the end of the session. */
void session_hooks_print(const struct conf *conf);

#endif
