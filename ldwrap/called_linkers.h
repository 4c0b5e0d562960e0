/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The linkers and wrappers that have been called for this link. There may be other wrappers:
 * XALT's, another jobtrail-ld. Each searches PATH for the next linker, and could find the wrapper
 * that has called it. So the environment variable JOBTRAIL_LD lists those that have been called, as
 * "DEVICE:INODE " in hexadecimal each. A jobtrail-ld that was called by another one marks nothing,
 * and calls a linker that is not in the list.
 */
#ifndef JOBTRAIL_LDWRAP_CALLED_LINKERS_H
#define JOBTRAIL_LDWRAP_CALLED_LINKERS_H

#include <stdbool.h>
#include <sys/stat.h>

#define CALLED_LINKERS_VARIABLE "JOBTRAIL_LD"

/* Whether another jobtrail-ld has called us, directly or not. */
bool called_linkers_any(void);

/* Whether this file is in the list. */
bool called_linkers_have(const struct stat *file);

/* Adds it to the list in our environment. Returns 0 or -ENOMEM. */
int called_linkers_add(const struct stat *file);

#endif
