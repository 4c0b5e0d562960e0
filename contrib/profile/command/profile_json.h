/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Time in MPI and in designated libraries, as programs read it; routine_log.h is for people.
 */
#pragma once

#include <stdbool.h>

#include <json-c/json.h>

#include "contrib/profile/profile_set.h"

/* Prints the routines of the ranks for which `is_taken` has true (NULL: of all), and where they are
 * all of their program that are in the set (`is_all`), who is missing. Returns 0 or -ENOMEM. */
int profile_routines_json(const struct profile_set *set, const bool *is_taken, bool is_all);

/* A line with the names of the columns, and one for each of these ranks and routines, with tabs. */
void profile_routines_dump(const struct profile_set *set, const bool *is_taken);
