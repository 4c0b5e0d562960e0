/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Users choose names of routines, and each costs a row
 * (docs/decisions/0093-names-of-routines-are-bounded-by-user.md). So the runs of one user add no
 * more than that many in a day of loading, libraries included, and no more to one library. Unproven
 * runs have no known user: together they may add more.
 */
#pragma once

enum { ROUTINE_NAMES_A_DAY = 32768, ROUTINE_NAMES_A_LIBRARY = 8192, ROUTINE_NAMES_UNPROVEN = 4 };
