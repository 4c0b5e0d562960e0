/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "conf/conf.h"
#include "submit/job/spool_read.h"

/* ---- What had no room ------------------------------------------------------------------------ */

/* How many records a directory of root's had no room for: a decimal number in its file
 * OVERFLOW_NAME. */

#define OVERFLOW_NAME "overflow"

/* Adds `more` to the number; several processes may do so at once. Returns 0 or -errno. */
int overflow_add(int directory, uint64_t more);

/* The number; 0 where there is none. */
uint64_t overflow_read(int directory);

/* Each entry is a directory of root's; its file QUARANTINE_OWNER has the number of the user whose
 * job or session it was, as decimal digits. An entry without that file is of QUARANTINE_NOBODY. */
#define QUARANTINE_OWNER  "owner"
#define QUARANTINE_NOBODY ((uid_t)-1)

/* The limits, in bytes on the disk and in entries, of all and of one user: users decide how much is
 * quarantined. When the bytes are used up, an entry has its reason but no files; when the entries
 * are used up, none is made, and it is counted in OVERFLOW_NAME (quarantine.h). */
#define QUARANTINE_MAX_BYTES  (UINT64_C(1) << 30)
#define QUARANTINE_USER_BYTES (QUARANTINE_MAX_BYTES / 4)
enum { QUARANTINE_MAX_ENTRIES = 1000, QUARANTINE_USER_ENTRIES = 100 };

/* Calls `each` for each entry in the open quarantine, with its owner and its bytes on the disk; not
 * for "outbox", the part of the transports, which has limits of its own. Returns 0 or -errno. */
int quarantine_each(int quarantine,
                    void (*each)(void *context, uid_t uid, const char *name, uint64_t bytes),
                    void *context);

/* Copies the files of a job's spool directory to <state>/quarantine/<job>.<restart>, with the
 * `reason` beside them in the file `reason`, so that nothing that could not be used is lost. All is
 * on the disk when it returns. `uid` is the job's user, or QUARANTINE_NOBODY where that is
 * unknown. Where that directory holds another job of the same id, the name gets a number: the one
 * used is written to `size` bytes at `name`. Returns 0; -EDQUOT where there is no place, which is
 * counted; or -errno. */
int quarantine_keep(const struct conf *conf, const struct spool_job *job, int directory, uid_t uid,
                    const char *reason, char *name, size_t size);

/* The same for the ledger and the packages of a session `session` (UID.PID.TICKS), open for
 * reading, -1 where there is none to be copied. */
int quarantine_keep_session(const struct conf *conf, const char *session, uid_t uid, int ledger,
                            int packages, const char *reason);
