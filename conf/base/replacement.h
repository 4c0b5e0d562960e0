/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A file in the place of another one: readers get the old file or the new one, whole. It is written
 * as PATH.new. What a killed writer has left under that name is used by the next one.
 */
#ifndef JOBTRAIL_REPLACEMENT_H
#define JOBTRAIL_REPLACEMENT_H

#include <sys/types.h>

/* Opens PATH.new below the directory `at`, empty, with the mode 0600, for one writer at a time.
 * Returns a descriptor, which the caller closes, or -errno: -EAGAIN while another process writes
 * it, -EPERM where it is no plain file of this user's. */
int replacement_open(int at, const char *path);

/* Gives what was written to `fd` the mode `mode` and the name `path`. With an `error` of the caller
 * (-errno) or of its own, PATH.new is removed instead. Returns 0 or that error. */
int replacement_end(int at, const char *path, int fd, mode_t mode, int error);

/* The same with another name than PATH.new. */
int replacement_open_as(int at, const char *name);
int replacement_end_as(int at, const char *name, const char *path, int fd, mode_t mode, int error);

#endif
