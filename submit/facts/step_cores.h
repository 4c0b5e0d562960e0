/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How much CPU time each of a job's steps has on a node, as steps begin and end: see partition.h.
 *
 * Each core has a clock of what each of its holders had of it, and steps read the clocks of their
 * cores. So a step that begins or ends costs O(its cores), however many steps it overlaps; cores
 * that the same steps hold count as one. A step whose cores were not affected since it was read
 * last is read in O(1).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "submit/facts/cpu_ticks.h"
#include "submit/facts/partition_input.h"

struct step_cores; /* owned; refers to the input */

/* No step lives. Returns 0 or -ENOMEM; step_cores_free() releases `*cores`, written only on
 * success. */
int step_cores_make(const struct partition_input *input, struct step_cores **cores);

/* The time goes on by `ns`. */
void step_cores_advance(struct step_cores *cores, uint64_t ns);

/* A job step, not a batch step, begins and ends: once each. */
void step_cores_begin(struct step_cores *cores, size_t step);
void step_cores_end(struct step_cores *cores, size_t step);

/* `count` batch steps have a living task. */
void step_cores_set_batch(struct step_cores *cores, size_t count);

/* What the step has had up to now. Of a batch step: what each one had, in all the time. */
cpu_ticks step_cores_had(struct step_cores *cores, size_t step);

/* What each batch step had while job steps lived. */
cpu_ticks step_cores_waited(const struct step_cores *cores);

void step_cores_free(struct step_cores *cores);
