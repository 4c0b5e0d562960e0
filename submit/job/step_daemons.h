/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The daemons of steps on this node, without a journal that tells of them. slurmstepd calls itself
 * "slurmstepd: [JOB.STEP]" (seen in 22.05, 24.11 and 26.05).
 */
#ifndef JOBTRAIL_STEP_DAEMONS_H
#define JOBTRAIL_STEP_DAEMONS_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the process `pid` is a slurmstepd of root's. */
bool step_daemon_is(int32_t pid);

/* Whether a slurmstepd of root's may be one of the job: it has the job's number, or it has none, as
 * at its start. A zombie is none. That of another cluster's job of this number counts, too. Looks
 * at every process; true also where these cannot be listed. */
bool step_daemon_may_live(uint32_t job);

#endif
