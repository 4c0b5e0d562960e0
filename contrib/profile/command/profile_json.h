/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Parts that JSON has in common.
 */
#ifndef JOBTRAIL_PROFILE_JSON_H
#define JOBTRAIL_PROFILE_JSON_H

#include <stdbool.h>

#include <json-c/json.h>

#include "contrib/profile/profile_set.h"

void profile_json_int(struct json_object *table, const char *key, uint64_t value);
void profile_json_seconds(struct json_object *table, const char *key, uint64_t ns);

/* A name is bytes of a user's: it gets the reversible form of text.h. */
void profile_json_text(struct json_object *table, const char *key, const char *bytes);

/* What is known of a rank; the caller's. */
struct json_object *profile_json_rank(const struct profile_set *set,
                                      const struct profile_rank *rank);

/* Sets `*missing` to the rows of ranks that left no profile, of the program of those for which
 * `is_taken` has true; none where they are a part of it (not `is_all`): the caller's, in every
 * case. Returns 0 or -ENOMEM. */
int profile_json_missing(const struct profile_set *set, const bool *is_taken, bool is_all,
                         struct json_object **missing);

/* Prints the object, and frees it. Returns 0 or -ENOMEM. */
int profile_json_print(struct json_object *object);

/* ---- Time in MPI and in libraries ------------------------------------------------------------ */

/* Time in MPI and in designated libraries, as programs read it; routine_log.h is for people. */

/* Prints the routines of the ranks for which `is_taken` has true (NULL: of all), and where they are
 * all of their program that are in the set (`is_all`), who is missing. Returns 0 or -ENOMEM. */
int profile_routines_json(const struct profile_set *set, const bool *is_taken, bool is_all);

/* A line with the names of the columns, and one for each of these ranks and routines, with tabs. */
void profile_routines_dump(const struct profile_set *set, const bool *is_taken);

#endif
