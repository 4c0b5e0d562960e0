/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which rank records for an executable. In a step with one program that is rank 0; in a step with
 * several (srun --multi-prog) the first rank of each.
 */
#ifndef JOBTRAIL_LEADER_H
#define JOBTRAIL_LEADER_H

#include <stddef.h>
#include <stdint.h>

/* The first rank that runs the same program as `rank`, by the text of a multi-prog configuration
 * (srun(1), MULTIPLE PROGRAM CONFIGURATION), or 0 when `text` is none or does not tell. */
uint32_t leader_find(const char *text, uint32_t rank);

/* Writes the program of `rank` by such a text into `size` bytes at `program`. Returns 1, or 0 when
 * the text does not tell. */
int leader_program(const char *text, uint32_t rank, char *program, size_t size);

#endif
