/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How a process that cannot leave its capture tells so: where the spool is read-only, as in a
 * sandbox, its ledger is full, or variables are missing. One page of the library's data is made
 * executable for a moment, without being writable then. The kernel tells root of each file that is
 * mapped so, and from where in the file on: the library's code is at its start, its data is not. So
 * the kernel's witness (contrib/witness/kernel_processes.c) sees it, of this process alone, and no
 * file is needed. Where it is refused, and where system calls are filtered or /proc does not say
 * that they are not, nothing is told: the filter may end the process.
 */
#ifndef JOBTRAIL_UNWRITTEN_H
#define JOBTRAIL_UNWRITTEN_H

#include "preload/image.h"

/* The last thing that the library does in the process. Only the shared library tells: the pages of
 * a copy that was linked into a program are the program's. */
void unwritten_tell(const struct image *image);

#endif
