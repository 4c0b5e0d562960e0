/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_QUARANTINE_H
#define JOBTRAIL_QUARANTINE_H

#include <stddef.h>
#include <stdint.h>

#include "conf.h"
#include "spool_read.h"

/* What ledgers and packages there may take in all. Beyond it a job is kept without them, which its
 * user wrote; the journal and the reason are small, and kept always. */
#define QUARANTINE_MAX_BYTES (UINT64_C(1) << 30)

/* The most sessions of one user, who can make as many as he likes. */
enum { QUARANTINE_MAX_SESSIONS = 100 };

/* Copies the files of a job's spool directory to <state>/quarantine/<job>.<restart>, with the
 * `reason` beside them in the file `reason`, so that nothing that could not be used is lost. All is
 * on the disk when it returns. Where that directory holds another job of the same id, the name gets
 * a number: the one used is written to `size` bytes at `name`. Returns 0 or -errno. */
int quarantine_keep(const struct conf *conf, const struct spool_job *job, int directory,
                    const char *reason, char *name, size_t size);

/* The same for the ledger and the packages of a session `session` (UID.PID.TICKS), open for
 * reading, -1 where there is none to be copied. Returns 0 or -errno; -EDQUOT where as many of this
 * user's are there already. */
int quarantine_keep_session(const struct conf *conf, const char *session, int ledger, int packages,
                            const char *reason);

#endif
