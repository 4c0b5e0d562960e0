/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The output of jobtrail-profile(1) but for logs: JSON, flame graphs, dumps, differences.
 */
#pragma once

#include "contrib/profile/profile_log.h"

enum profile_form { FORM_TEXT, FORM_JSON };

/* A log (profile_log_text()) as one object on a line. Returns 0 or -ENOMEM, as the others here. */
int profile_log_json(const struct profile_log *log, size_t rank);

/* Folded stacks, as flame graphs are made of: exclusive microseconds, the outermost function first.
 * `is_taken` as set_sums_make(). */
int profile_flame(const struct profile_set *set, const struct set_order *order,
                  const bool *is_taken);

/* The same as a picture, SVG: at most 4096 boxes, siblings by name. */
int profile_flame_svg(const struct profile_set *set, const struct set_order *order,
                      const bool *is_taken);

/* A line for each rank and stack, with tabs. */
int profile_dump(const struct profile_set *set, const struct set_order *order,
                 const bool *is_taken);

/* What has changed from the first `before` ranks to the others, of the log's, by stack; the largest
 * change of exclusive time first. */
int profile_diff(const struct profile_log *log, size_t before, enum profile_form form);
