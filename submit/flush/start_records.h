/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Start records: of runs that are not over and that are of a size which is always recorded. Each is
 * sent once: the file `started` in the job's spool directory, root's, keeps the names of those that
 * are. It holds 1 MiB of them at the most, or 256 bytes for each 4 KiB of [spool] ledger_size; when
 * it is full, the job gets no more start records, which is reported once.
 */
#pragma once

#include "conf/conf.h"

/* Sends what start records there are to send for the jobs in the directory open at `spool`, ten
 * seconds for all at the most and two for one. A job whose captures end their reader is left alone
 * for ten minutes. Trouble with one job is reported on stderr and does not keep the others from
 * being looked at. Returns 0, or -errno when the spool or the outbox cannot be used at all. */
int start_records_send(const struct conf *conf, int spool);
