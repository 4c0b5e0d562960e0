/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The value of a variable such as PYTHONPATH: directories separated by colons, of which an empty
 * one has a meaning; or options separated by blanks, as in PERL5OPT.
 */
#ifndef JOBTRAIL_PATH_LIST_H
#define JOBTRAIL_PATH_LIST_H

#include <stddef.h>

/* Puts `entry` in front of `list` (may be ""), or keeps the list as it is where the entry is in it
 * already. Writes `size` bytes at `value`. Returns 0 or -ENAMETOOLONG. */
int path_list_add(const char *entry, char separator, const char *list, char *value, size_t size);

/* Takes `entry` out of `list`, in place, wherever it is; undoes path_list_add(). */
void path_list_remove(const char *entry, char separator, char *list);

#endif
