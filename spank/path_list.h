/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The value of a variable such as PYTHONPATH: directories separated by colons, where an empty entry
 * has a meaning; or of options separated by blanks, such as PERL5OPT.
 */
#pragma once

#include <stddef.h>

/* Puts `entry` in front of `list` (may be "") into `size` bytes at `value`. A list that has the
 * entry stays as it is. Returns 0 or -ENAMETOOLONG. */
int path_list_add(const char *entry, char separator, const char *list, char *value, size_t size);

/* Removes each `entry` from `list`, in place; undoes path_list_add(). */
void path_list_remove(const char *entry, char separator, char *list);

/* ---- LD_PRELOAD ------------------------------------------------------------------------------ */

/* The value of LD_PRELOAD: a list separated by colons or blanks (ld.so(8)). */

/* Puts `library` in front of the list `user` (may be "") into `size` bytes at `value`. A list that
 * has the library stays as it is. Returns 0 or -ENAMETOOLONG. */
int preload_list_add(const char *library, const char *user, char *value, size_t size);

/* Removes each `library` from `list`, in place. */
void preload_list_remove(const char *library, char *list);
