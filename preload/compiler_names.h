/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_COMPILER_NAMES_H
#define JOBTRAIL_COMPILER_NAMES_H

#include <stdbool.h>

/* Whether compilers and what they link to each object call the name, which no source does. Where
 * all else is compiled with -fno-plt, linkers may still make slots of calls for it. */
bool compiler_names_has(const char *name);

#endif
