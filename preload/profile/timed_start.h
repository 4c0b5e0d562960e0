/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which objects the loader has loaded at the start of the program. They are asked first for each
 * name, in the order of the link map, and are never unloaded. Constructors may have loaded others
 * with dlopen(3) before ours has run: of these nobody tells whom the loader asks for a name.
 */
#ifndef JOBTRAIL_TIMED_START_H
#define JOBTRAIL_TIMED_START_H

#include "preload/profile/timed_search.h"

/* How many they are, at the beginning of the search. Objects that are not found by what others
 * need, as some filters (DT_FILTER), and all behind them, are taken for later ones. */
uint32_t timed_start_count(struct timed_search *search);

#endif
