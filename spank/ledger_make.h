/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The files in which a user's processes leave their captures, packages and profiles.
 */
#ifndef JOBTRAIL_LEDGER_MAKE_H
#define JOBTRAIL_LEDGER_MAKE_H

#include <stdint.h>
#include <sys/types.h>

/* Makes the ledger of `bytes` for the user in the directory open at `part` (spool_part_open()),
 * unless it is there already. Returns 0 or -errno (-EPERM: another user's ledger is there). */
int spool_make_ledger(int part, uid_t uid, gid_t gid, uint64_t bytes);

/* Makes the file for the hooks' lines (contrib/hooks/packages.h) there, unless it is there already.
 * Returns 0 or -errno. */
int spool_make_packages(int part, uid_t uid, gid_t gid);

/* Makes the file for profiles (preload/profile/profile_file.h) there, of `bytes`, unless it is
 * there already. Returns 0 or -errno (-EPERM: another user's is there). */
int spool_make_profile(int part, uid_t uid, gid_t gid, uint64_t bytes);

#endif
