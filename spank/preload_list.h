/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The value of LD_PRELOAD: a list separated by colons or blanks (ld.so(8)).
 */
#ifndef JOBTRAIL_PRELOAD_LIST_H
#define JOBTRAIL_PRELOAD_LIST_H

#include <stddef.h>

/* Puts `library` in front of the list `user` (may be ""), or keeps the list as it is where the
 * library is in it already. Writes `size` bytes at `value`. Returns 0 or -ENAMETOOLONG. */
int preload_list_add(const char *library, const char *user, char *value, size_t size);

/* Takes `library` out of `list`, in place, wherever it is. */
void preload_list_remove(const char *library, char *list);

#endif
