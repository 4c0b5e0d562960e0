/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_LDWRAP_REAL_LINKER_H
#define JOBTRAIL_LDWRAP_REAL_LINKER_H

#include "ldwrap/ancestors.h"

/* Finds the linker that would have been called by the name `called` without us: in COMPILER_PATH,
 * as gcc's collect2 and clang search; in the directory of a clang that has called; then in PATH.
 * Skips programs that have been called for this link (called_linkers.h), among them this one, and
 * XALT's wrappers if one of them has called (xalt_wrapper.h). Adds the one that it finds to their
 * list. Returns 0 and the malloc'ed `*path`, as the caller would have written it; or -ENOENT,
 * -ENOMEM. */
int real_linker_find(const char *called, const struct ancestors *ancestors, char **path);

#endif
