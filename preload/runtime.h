/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runtimes of containers, which enter a root directory that need not have the library. The loader
 * prints a line for each program there whose LD_PRELOAD names a file that is missing.
 */
#pragma once

#include "preload/image.h"

/* Takes our libraries out of this process's LD_PRELOAD, so that what it executes does not get them,
 * unless its arguments bind a directory above the library at its own place. The text is changed
 * where it lies, since auxv(5) is found behind the array of variables. */
void runtime_leave(const struct image *image);
