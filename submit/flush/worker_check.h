/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the parent of a worker believes of it. Its user may have got it under control by what he
 * wrote: then it can lie about his own runs, as he can anyway, and about nobody else's.
 */
#ifndef JOBTRAIL_WORKER_CHECK_H
#define JOBTRAIL_WORKER_CHECK_H

#include <stdbool.h>

#include "submit/flush/worker.h"

struct worker_check;

/* What all records of this order have to say; the order must outlive it. Returns NULL when out of
 * memory; worker_check_free() releases. */
struct worker_check *worker_check_new(const struct worker_order *order);

/* Whether the record is of a kind that this worker makes, named for the order's user and site and
 * for the run that it tells of, with no key of another kind or of root's (record_keys.h), and tells
 * of the order's user, job and node in those tables that readers take these from. Of WORKER_RECORDS
 * anything is: see hand_in_collect.c. Counts it. */
bool worker_check_record(struct worker_check *check, const struct record_view *record);

/* Puts the numbers of what was taken in place of what the worker says that it has given, and no
 * more of anything than the ledger and the packages have room for. */
void worker_check_summary(const struct worker_check *check, struct worker_summary *summary);

void worker_check_free(struct worker_check *check);

#endif
