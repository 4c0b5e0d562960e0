/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A run of a static program, into which no library can be preloaded: its capture is made from the
 * journal and from the program's file.
 */
#pragma once

#include <limits.h>

#include "conf/base/elf_segments.h"
#include "conf/policy/policy.h"
#include "submit/evidence/ledger_read.h"
#include "submit/facts/coverage_pieces.h"
#include "submit/job/journal_read.h"

struct uncaptured_run {
    struct capture capture; /* points into what follows: not to be moved */
    char exec[PATH_MAX];
    unsigned char build_id[BUILD_ID_MAX];
};

/* Whether sampling keeps the run, by the table of the policy: fills in `is_left_out` and
 * `probability`. Reads no file. Returns 0, or -EIO where no uuid can be made. */
int uncaptured_run_decide(const struct policy_header *policy, const struct journal *journal,
                          uint64_t now_ns, struct coverage_uncaptured *task);

/* Fills in the capture of the task. Its uuid depends on the task, its node and its start only.
 * Returns 0, or -EIO where no uuid can be made. */
int uncaptured_run_make(const struct journal *journal, const struct coverage_uncaptured *task,
                        struct uncaptured_run *run);
