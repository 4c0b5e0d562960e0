/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The first lines of a log: which programs of which job and step it is of, and on which nodes they
 * ran.
 */
#ifndef JOBTRAIL_LOG_ORIGINS_H
#define JOBTRAIL_LOG_ORIGINS_H

#include <stdio.h>

#include "contrib/profile/profile_set.h"

/* Prints a line for each program of a step, of the ranks for which `is_taken` has true (NULL: all):
 * 16 of them and 4 nodes of each at the most, and how many there are beside. Returns 0 or -ENOMEM.
 */
int log_origins(const struct profile_set *set, const bool *is_taken, FILE *to);

#endif
