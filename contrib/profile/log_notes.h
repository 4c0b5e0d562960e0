/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Lines of a log with "#": which programs of which job and step it is of, and on which nodes they
 * ran; and which ranks could not be counted to their end, or without stacks.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "contrib/profile/profile_set.h"

/* Prints which rank it is. */
void log_rank(const struct profile_rank *rank, FILE *to);

/* Prints a line for each program of a step, of the ranks for which `is_taken` has true (NULL: all):
 * 16 of them and 4 nodes of each at most, and how many there are beside. Returns 0 or -ENOMEM. */
int log_origins(const struct profile_set *set, const bool *is_taken, FILE *to);

/* `is_taken`: for each rank; NULL: all of them. */
void log_marks(const struct profile_set *set, const bool *is_taken, FILE *to);
