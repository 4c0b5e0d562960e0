/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_LDWRAP_REAL_LINKER_H
#define JOBTRAIL_LDWRAP_REAL_LINKER_H

#include "ldwrap/ancestors.h"

/* Finds the linker that would have been called without us, by the name `called`: in COMPILER_PATH,
 * as gcc's collect2 and clang search, beside a clang that called, then in PATH. What is ourselves,
 * by device and inode and so under any name, or has had its turn (chain.h), is passed over. Returns
 * 0 and the malloc'ed `*path`, as the caller would have put it together, having noted in the
 * environment that it has its turn now; or -ENOENT, -ENOMEM. */
int real_linker_find(const char *called, const struct ancestors *ancestors, char **path);

#endif
