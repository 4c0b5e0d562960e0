/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_POLICY_OPEN_H
#define JOBTRAIL_POLICY_OPEN_H

#include <sys/stat.h>

/* Reads the compiled policy from the file `path`, which root does only where nobody else can change
 * it (trusted.h). Returns 0, the file's status in `*status` and a usable policy in `*policy`, which
 * the caller frees; or -errno (-EPERM: others can change it; -EINVAL: it is no usable policy). */
int policy_open(const char *path, struct stat *status, void **policy);

#endif
