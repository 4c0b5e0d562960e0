/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A file in the place of another one: readers get the old file or the new one, whole. It is written
 * as PATH.new. What a killed writer has left under that name is used by the next one.
 */
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

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

/* ---- Files that are set aside ---------------------------------------------------------------- */

/* Files that are set aside for a person to look at, beside each the reason: NAME and NAME.reason.
 * All are on the disk before a function returns 0, but for their names: who has set aside all files
 * of a directory calls fsync(2) for it. */

/* What a file that has the name already means. */
enum set_aside_mode {
    SET_ASIDE_NEW,    /* -EEXIST; a file that cannot be written is removed */
    SET_ASIDE_REPLACE /* it is overwritten */
};

/* Writes `count` parts, one after the other, to the file `name`, mode 0600, in `directory`. Returns
 * 0 or -errno. */
int set_aside_write(int directory, const char *name, enum set_aside_mode mode,
                    const struct iovec *parts, int count);

/* Writes `reason` as a line to the file NAME.reason. Returns 0 or -errno. */
int set_aside_reason(int directory, const char *name, enum set_aside_mode mode, const char *reason);

/* Removes NAME.reason. */
void set_aside_forget(int directory, const char *name);

/* Copies the first `limit` bytes of the file `from` to the new file `to`, and what is a hole as
 * one: the owner of a file shall not have it take more room here. Returns 0 or -errno. */
int set_aside_copy(int from, int to, off_t limit);
