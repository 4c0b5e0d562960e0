/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Objects that the program unloads: another one may be loaded to the same addresses, and its
 * functions are others. So dlclose(3), which asks nobody who has called it, comes here first. A
 * program that the library is linked into closes its objects unnoticed, unless it is preloaded too.
 */
#pragma once

#include <stdint.h>

/* How often dlclose(3) was called. */
uint32_t profile_closes(void);
