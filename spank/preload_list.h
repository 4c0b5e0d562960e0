/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The value of LD_PRELOAD: a list separated by colons or blanks (ld.so(8)).
 */
#ifndef JOBTRAIL_PRELOAD_LIST_H
#define JOBTRAIL_PRELOAD_LIST_H

#include <stddef.h>

/* Puts `library` in front of the list `user` (may be "") into `size` bytes at `value`. A list that
 * has the library stays as it is. Returns 0 or -ENAMETOOLONG. */
int preload_list_add(const char *library, const char *user, char *value, size_t size);

/* Removes each `library` from `list`, in place. */
void preload_list_remove(const char *library, char *list);

#endif
