/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_DIRECTORY_H
#define JOBTRAIL_DIRECTORY_H

#include <sys/types.h>

/* Opens the directory `path`, made with its parents where it is missing. The last one gets `mode`.
 * Returns a descriptor or -errno. */
int directory_make(const char *path, mode_t mode);

#endif
