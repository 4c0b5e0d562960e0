/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the quarantine of jobs and sessions holds, in all and of one user. Each entry is a directory
 * of root's; its file QUARANTINE_OWNER has the number of the user whose job or session it was, as
 * decimal digits. An entry without that file is of QUARANTINE_NOBODY.
 */
#ifndef JOBTRAIL_QUARANTINE_USAGE_H
#define JOBTRAIL_QUARANTINE_USAGE_H

#include <stdint.h>
#include <sys/types.h>

#define QUARANTINE_OWNER  "owner"
#define QUARANTINE_NOBODY ((uid_t)-1)

struct quarantine_usage {
    uint64_t bytes, user_bytes; /* on the disk */
    unsigned entries, user_entries;
};

/* Counts what is in the directory open at `quarantine`, except for the entry `except`, which is
 * about to be filled again. Returns 0 or -errno. */
int quarantine_usage(int quarantine, uid_t uid, const char *except, struct quarantine_usage *usage);

#endif
