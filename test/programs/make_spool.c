// SPDX-License-Identifier: LGPL-2.1-or-later
// Makes the spool directory of a job as the SPANK plugin does, for tests without Slurm:
//
//   make_spool SPOOL JOB [LEDGER-BYTES]
//
// The job is the calling user's; its only step is the batch step.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "journal_line.h"
#include "spool.h"

int main(int argc, char **argv)
{
    struct journal_line line;
    if (argc < 3)
        return 2;
    unsigned job = (unsigned)strtoul(argv[2], NULL, 10);
    int spool = spool_open(argv[1], job, 0);
    if (spool < 0) {
        fprintf(stderr, "make_spool: %s: %s\n", argv[1], strerror(-spool));
        return 1;
    }
    journal_start(&line, "step");
    journal_number(&line, "job", job);
    journal_number(&line, "restart", 0);
    journal_number(&line, "step", JOURNAL_STEP_BATCH);
    journal_number(&line, "uid", getuid());
    journal_number(&line, "gid", getgid());
    journal_text(&line, "node", "e2e");
    int error = journal_append(&line, spool);
    if (error == 0)
        error = spool_make_ledger(spool, getuid(), getgid(),
                                  argc > 3 ? strtoull(argv[3], NULL, 10) : 64 << 20);
    if (error == 0)
        error = spool_make_packages(spool, getuid(), getgid());
    if (error != 0)
        fprintf(stderr, "make_spool: %s\n", strerror(-error));
    return error != 0;
}
