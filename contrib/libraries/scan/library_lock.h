/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Directories of root's, and the lock of the state's: who changes the state has it.
 */
#ifndef JOBTRAIL_LIBRARY_LOCK_H
#define JOBTRAIL_LIBRARY_LOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Opens a directory of root's, made with this mode where it is missing; 0: it is not made. Returns
 * a descriptor or -errno, with the reason in `trouble`, of `size` bytes; it is as it was with
 * -ENOENT and the mode 0. */
int library_own_directory(const char *path, mode_t mode, char *trouble, size_t size);

/* Takes the lock of the state's directory, which is made where it is missing. Returns a descriptor
 * that has it until it is closed, or -errno, with the reason in `trouble`: -EWOULDBLOCK, without
 * one, while another has it and this does not wait. */
int library_lock(const char *state, bool is_waiting, char *trouble, size_t size);

#endif
