/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The leader of a task: the rank that records for all ranks of the same program. In a step with one
 * program that is rank 0, in a step with several (srun --multi-prog) the first rank of each.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first rank that runs the same program as `rank`, by the text of a multi-prog configuration
 * (srun(1), MULTIPLE PROGRAM CONFIGURATION); 0 where `text` is none or names no program for it. */
uint32_t leader_find(const char *text, uint32_t rank);

/* Writes the program of `rank` by such a text into `size` bytes at `program`. Returns false where
 * the text names none, or one that does not fit. */
bool leader_program(const char *text, uint32_t rank, char *program, size_t size);
