/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The records that a ledger gives: of its runs, of their packages, and of the job's coverage. A
 * ledger is read first for what follows what in a process (succession.h); a job's then for what
 * each run had of the allocation (division.h); and at last capture by capture for the records. A
 * capture is gone when it has been looked at: what stays are some 100 bytes of it.
 */
#pragma once

#include "contrib/hooks/packages.h"
#include "submit/evidence/package_read.h"
#include "submit/flush/reading_request.h"

/* Gives the records of a job, or of those runs of a session that are over, and counts in
 * `*summary`; a job whose ledger is none has coverage all the same. Returns 0 or -errno. */
int ledger_send_ends(const struct ledger_send *send, struct reading_summary *summary);

/* Gives the start records of a job. */
int ledger_send_starts(const struct ledger_send *send, struct reading_summary *summary);

/* Whether the package rules keep a package. */
bool package_kept(const void *policy, const struct package *package);
