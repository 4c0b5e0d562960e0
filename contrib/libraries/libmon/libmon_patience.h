/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A scan as a child, with a bound of how long a file system may be silent.
 */
#pragma once

#include <sys/types.h>

#include "contrib/libraries/scan/library_scan.h"

/* A child that ends with this process; 0 in it, or -1. */
pid_t libmon_fork(void);

/* Calls scan(context, beat) in a child, which exits with what it returns. Where a walk comes to
 * nothing else for `patience_s`, the child is killed, the path is left, and another child scans.
 * Returns the status; `failed` where there is no child, it was killed by others, or too much hangs.
 */
int libmon_patient_scan(int (*scan)(const void *context, struct library_beat *beat),
                        const void *context, unsigned patience_s, int failed);
