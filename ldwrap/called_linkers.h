/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Wrappers around wrappers: XALT's, another jobtrail's. Each looks for the next linker in PATH and
 * so can find the one that called it. The environment variable JOBTRAIL_LD names those that have
 * had their turn, as "DEVICE:INODE " each, in hexadecimal; a jobtrail-ld that finds itself called
 * by one marks nothing and goes on to a linker that is not among them.
 */
#ifndef JOBTRAIL_LDWRAP_CALLED_LINKERS_H
#define JOBTRAIL_LDWRAP_CALLED_LINKERS_H

#include <stdbool.h>
#include <sys/stat.h>

#define CALLED_LINKERS_VARIABLE "JOBTRAIL_LD"

/* Whether a jobtrail-ld has called us, directly or not. */
bool called_linkers_any(void);

/* Whether this file has had its turn. */
bool called_linkers_have(const struct stat *file);

/* Notes it for the programs that we start. Returns 0 or -ENOMEM. */
int called_linkers_add(const struct stat *file);

#endif
