/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sums of CPU time by owner and day, for owners 0 to count - 1. Each day has an allocation; what no
 * owner had of it is idle.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "submit/facts/cpu_ticks.h"
#include "submit/facts/partition_input.h"

struct day_shares; /* owned */

/* The first day is `day`; `owners` is below 2^32 - 2. Returns 0 or -ENOMEM; day_shares_free()
 * releases `*shares`, written only on success. */
int day_shares_make(size_t owners, uint32_t day, struct day_shares **shares);

/* On this day. That there is no memory is returned by day_shares_end(). */
void day_shares_add(struct day_shares *shares, size_t owner, cpu_ticks ticks);

/* `allocated` is what the day that ends had. */
void day_shares_next_day(struct day_shares *shares, cpu_ticks allocated);

/* As day_shares_next_day(), of the last day. Returns 0 or -ENOMEM. */
int day_shares_end(struct day_shares *shares, cpu_ticks allocated);

/* After the end: an owner's shares, in the order of days; what was idle; what was allocated. */
struct partition_shares day_shares_of(const struct day_shares *shares, size_t owner);
struct partition_shares day_shares_idle(const struct day_shares *shares);
struct partition_shares day_shares_allocated(const struct day_shares *shares);

void day_shares_free(struct day_shares *shares);
