/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether a program can have replaced itself by another one (execve(2)). Where the successor leaves
 * no trace, as a static program or `env -i`, nobody sees it: then the status of the process may be
 * the successor's (docs/decisions/0064-status-of-a-program.md).
 */
#ifndef JOBTRAIL_REPLACEABLE_H
#define JOBTRAIL_REPLACEABLE_H

#include <stdbool.h>

#include "submit/evidence/ledger_read.h"

/* False only where executable and objects are all known, are the files of the capture's time, and
 * import no function that replaces the program, loads a library or makes any system call. The
 * system's own C and C++ libraries may import these. Reads files: to be called as the job's user.
 */
bool replaceable(const struct capture *capture);

#endif
