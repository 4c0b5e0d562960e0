// SPDX-License-Identifier: LGPL-2.1-or-later
// Makes the spool directory of a job as the SPANK plugin does, for tests without Slurm:
//
//   make_spool SPOOL JOB [LEDGER-BYTES [USER]]
//
// The job is USER's, or the calling user's; its only step is the batch step. Nothing is mounted,
// unless the variable MOUNT is set. With the variable PROFILE there is a file for profiles of so
// many bytes.
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "contrib/profile/spank/profile_make.h"
#include "extensions.h"
#include "spank/journal.h"
#include "spank/journal_line.h"
#include "spank/ledger_make.h"
#include "spank/spool.h"
#include "spank/spool_part.h"

int main(int argc, char **argv)
{
    struct journal_line line;
    if (argc < 3)
        return 2;
    unsigned job = (unsigned)strtoul(argv[2], NULL, 10);
    const struct passwd *user = argc > 4 ? getpwnam(argv[4]) : getpwuid(getuid());
    if (user == NULL)
        return 2;
    const struct spool_run run = {.spool = argv[1],
                                  .job = job,
                                  .uid = user->pw_uid,
                                  .mount =
                                      getenv("MOUNT") != NULL ? SPOOL_MOUNT_YES : SPOOL_MOUNT_NO};
    journal_start(&line, "step");
    journal_number(&line, "job", job);
    journal_number(&line, "restart", 0);
    journal_number(&line, "step", JOURNAL_STEP_BATCH);
    journal_number(&line, "uid", user->pw_uid);
    journal_number(&line, "gid", user->pw_gid);
    journal_text(&line, "node", "e2e");
    int spool = spool_enter(&run, &line);
    if (spool < 0) {
        fprintf(stderr, "make_spool: %s: %s\n", argv[1], strerror(-spool));
        return 1;
    }
    int part = spool_part_open(spool);
    int error = part < 0 ? part : 0;
    if (error == 0)
        error = spool_make_ledger(part, user->pw_uid, user->pw_gid,
                                  argc > 3 ? strtoull(argv[3], NULL, 10) : 64 << 20);
    if (error == 0)
        error = spool_make_packages(part, user->pw_uid, user->pw_gid);
    const char *profile = getenv("PROFILE");
    if (JOBTRAIL_PROFILE && error == 0 && profile != NULL)
        error = spool_make_profile(part, user->pw_uid, user->pw_gid, strtoull(profile, NULL, 10));
    if (error != 0)
        fprintf(stderr, "make_spool: %s\n", strerror(-error));
    return error != 0;
}
