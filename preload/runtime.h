/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runtimes of containers, which enter a root directory that need not have the library. The loader
 * prints a line for each program there whose LD_PRELOAD names a file that is missing.
 */
#pragma once

#include <stdbool.h>

#include "preload/image.h"

/* Whether a program of this path has the name of a runtime: for what is not recorded no rules are
 * looked for otherwise, as it may be one of many ranks. */
bool runtime_has_name(const char *path);

/* Takes our libraries out of this process's LD_PRELOAD, so that what it executes does not get them,
 * unless its arguments bind a directory above the library at its own place. The text is changed
 * where it lies, since auxv(5) is found behind the array of variables. */
void runtime_leave(const struct image *image);
