/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A line in the file that a program has a lock of, for jobtrail-conf doctor. Numbers in it have
 * blanks before them, so that its length is fixed: who reads while it is written has the line of
 * before or this one.
 */
#ifndef JOBTRAIL_LOCK_LINE_H
#define JOBTRAIL_LOCK_LINE_H

#include <stddef.h>

/* Writes the line, in one write, to the lock's descriptor. Returns 0 or -errno. */
int lock_line_write(int lock, const char *line);

/* Reads that of the file `name` in the directory `state` into `line`, of `size` bytes. Returns the
 * file's descriptor, which the caller closes, or -errno: -ENOENT where there is no line. */
int lock_line_open(const char *state, const char *name, char *line, size_t size);

#endif
