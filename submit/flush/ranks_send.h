/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Records of ranks, summarised (rank_summary.h). Root makes them of what root's own programs have
 * written; the reader has no part in them.
 */
#ifndef JOBTRAIL_RANKS_SEND_H
#define JOBTRAIL_RANKS_SEND_H

#include "submit/flush/reading.h"

/* Gives those of the job to `take` of the request, which has a journal. Returns 0, -errno, or what
 * `take` returned. */
int ranks_send(const struct reading_request *request);

#endif
