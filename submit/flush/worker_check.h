/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which records of a reader (reading.h) root, its parent, accepts. Its user may have taken it over
 * by what they wrote: then it can lie about their own runs, as they can anyway, and about nobody
 * else's.
 */
#pragma once

#include <stdbool.h>

#include "submit/facts/job_tasks.h"
#include "submit/flush/reading_request.h"
#include "submit/job/kernel_noted.h"

struct worker_check;

/* For the records of a request of this kind, on files of `identity`, which must outlive it, as must
 * `conf`. `allocation`: of the job, as the journal has it; of READING_JOB alone, others
 * have NULL; `kernel`: likewise, for how much of it the kernel witness speaks. `ledger` and
 * `packages`: descriptors of what is read, -1: none. Returns NULL when out of memory;
 * worker_check_free() releases. */
struct worker_check *worker_check_new(enum reading_kind kind, const struct conf *conf,
                                      const struct job_identity *identity,
                                      const struct job_allocation *allocation,
                                      const struct kernel_account *kernel, int ledger,
                                      int packages);

/* Begins with what earlier readers of the job were believed; worker_check_taken() is that, with the
 * records that were taken since. */
void worker_check_resume(struct worker_check *check, const struct core_time_sums *taken);
const struct core_time_sums *worker_check_taken(const struct worker_check *check);

/* Whether the record is of a kind that this reader makes, named for the user and the site and for
 * the run that it tells of, with no key of another kind or of root's (record_keys.h), and tells of
 * this user, job and node in those tables that readers take these from, and of no more core
 * seconds, with the records before it, than the job's allocation has (core_time_check.h). Of
 * READING_HAND_IN: whether it is a link's record of the user (hand_in_check.h). Counts it. */
bool worker_check_record(struct worker_check *check, const struct record_view *record);

/* Puts the numbers of what was taken in place of what the reader says that it has given, and no
 * more of anything than the ledger and the packages have room for. */
void worker_check_summary(const struct worker_check *check, struct reading_summary *summary);

void worker_check_free(struct worker_check *check);
