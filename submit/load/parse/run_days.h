/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * slurmT.core_days: what a run had of the allocation on each day.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "submit/load/parse/json_members.h"
#include "submit/load/parse/load_reason.h"

struct run_day {
    int32_t day; /* since 1970-01-01 */
    double core_seconds;
};

struct run_days {
    struct run_day first;
    struct run_day *list; /* owned: all of them where there are more than one, else NULL */
    size_t count;
    double sum; /* of the core seconds */
};

/* Reads the array of pairs of a date and core seconds at `text`, behind whose end stands a NUL
 * somewhere. The days ascend. Returns 0 and fills `*days`, which run_days_free() releases; -EBADMSG
 * and `*reason`; or -ENOMEM. */
int run_days_read(struct json_slice text, struct run_days *days, struct load_reason *reason);

void run_days_free(struct run_days *days);
