/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Lines of a log about ranks that could not be counted to their end, or without stacks.
 */
#ifndef JOBTRAIL_LOG_MARKS_H
#define JOBTRAIL_LOG_MARKS_H

#include <stdbool.h>
#include <stdio.h>

#include "contrib/profile/profile_set.h"

/* `is_taken`: for each rank; NULL: all of them. */
void log_marks(const struct profile_set *set, const bool *is_taken, FILE *to);

#endif
