/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_OWN_DIRECTORY_H
#define JOBTRAIL_OWN_DIRECTORY_H

#include <stddef.h>
#include <sys/types.h>

/* Opens the directory `path`, made with this mode where it is missing, in which nobody but root can
 * write (trusted.h). Returns a descriptor, which the caller closes, or -errno: with -EPERM the path
 * that others can change is in `culprit`, of `size` bytes, or "". */
int own_directory(const char *path, mode_t mode, char *culprit, size_t size);

#endif
