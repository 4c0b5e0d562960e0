/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The logs that the flush keeps beside a profile: what jobtrail-profile(1) shows of it, as text.
 */
#ifndef JOBTRAIL_PROFILE_LOGS_H
#define JOBTRAIL_PROFILE_LOGS_H

#include "contrib/profile/flush/profile_send.h"
#include "contrib/profile/profile_set.h"

/* In the child: sends, as [profile] logs has it, the summary of all ranks of the step, and the logs
 * of those ranks that it and the user name; ranks of one number have one log. A log is left out for
 * which there is no room. Returns 0 or -errno. */
int profile_logs_send(struct profile_set *set, const struct ranks_wanted *wanted, uint32_t step,
                      struct profile_sending *sending);

#endif
