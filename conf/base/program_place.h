/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where this program is: what was installed together with it lies as far from it as it did then.
 */
#ifndef JOBTRAIL_PROGRAM_PLACE_H
#define JOBTRAIL_PROGRAM_PLACE_H

#include <stdbool.h>
#include <stddef.h>

/* The path of `from_program`, which leads from the directory of this program's file. Returns false
 * where that is not known or the path has no room; whether there is such a file is not looked at.
 */
bool program_place(const char *from_program, char *path, size_t size);

#endif
