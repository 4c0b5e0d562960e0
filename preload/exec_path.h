/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The path of this process's executable, as /proc/self/exe would name it. A program that is an
 * argument of the loader (ld.so(8)), or a copy of itself that has no path, has its own.
 */
#pragma once

#include <stddef.h>

#include "preload/image.h"

/* Not terminated. It lies where the kernel has put it, or in private memory. */
struct exec_path {
    const char *text;
    size_t length;
};

/* Finds the path without /proc where it can: the first access of a process to its own entries there
 * takes longer than all other steps of the decision. Returns 1, or 0 when there is no path. */
int exec_path_find(const struct image *image, struct exec_path *path);
