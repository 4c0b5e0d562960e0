/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The run that has called this process: that of the nearest ancestor which is no shell between the
 * two.
 */
#ifndef JOBTRAIL_PARENT_RUN_H
#define JOBTRAIL_PARENT_RUN_H

#include <stdbool.h>

enum { PARENT_RUN_UUID = 33 };

/* `spool` is the directory of the ledger. Returns whether there is such a run, and its packages are
 * recorded (LEDGER_SLOT_PKGS). Writes its uuid, 32 hexadecimal digits and a NUL. */
bool parent_run_find(const char *spool, char uuid[PARENT_RUN_UUID]);

#endif
