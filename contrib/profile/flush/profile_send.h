/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How a child hands over the files that are kept of profiles: each file is a unit of its work. Of a
 * step these are its set, the logs, and the samples of ranks; those of ranks by their numbers.
 */
#ifndef JOBTRAIL_PROFILE_SEND_H
#define JOBTRAIL_PROFILE_SEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/worker.h"
#include "contrib/profile/flush/kept_file.h"
#include "submit/job/journal_read.h"

/* Steps that the journal does not have are the last one together, UINT32_MAX. */
#define PROFILE_UNIT_SET(step)         (((uint64_t)(step) + 1) << 31)
#define PROFILE_UNIT(step, kind, rank) (PROFILE_UNIT_SET(step) + ((uint64_t)(kind) << 29) + (rank))
#define PROFILE_UNIT_STEP(unit)        ((uint32_t)(((unit) >> 31) - 1))
#define PROFILE_UNIT_KIND(unit)        ((enum kept_kind)((unit) >> 29 & 3))
#define PROFILE_UNIT_RANK(unit)        ((uint32_t)((unit) & (PROFILE_UNIT_RANKS - 1)))
#define PROFILE_UNIT_RANKS             (UINT32_C(1) << 29) /* only these have files of their own */

/* Of which ranks files are kept: lists (conf/base/number_list.h). */
struct ranks_wanted {
    const char *site, *user; /* user: "" = all that the site says */
};

/* Of this step's ranks; `step` NULL: the user said nothing. */
struct ranks_wanted ranks_wanted_of(const char *site, const struct journal_step *step);

bool ranks_wanted_has(const struct ranks_wanted *wanted, uint32_t rank);

struct profile_sending {
    struct worker_pipe *pipe;
    uint64_t unit;  /* what a message is of */
    uint64_t bytes; /* that were sent */
    uint64_t most;  /* for profile_send_file() */
};

/* Sends the bytes as messages of the unit; `context` is the sending. Returns 0 or -EPIPE. */
int profile_send(void *context, const void *bytes, size_t size);

/* Sends a whole file, or nothing where more than `most` would have been sent then. Returns 0 or
 * -EPIPE. */
int profile_send_file(struct profile_sending *sending, uint64_t unit, const void *bytes,
                      size_t size);

/* How many bytes such a file may have. */
uint64_t profile_send_room(const struct profile_sending *sending);

#endif
