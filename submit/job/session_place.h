/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whose place <sessions>/<uid> is. Every user may make names in <sessions> (session.h), so somebody
 * may have made another one's. Root puts such a name aside and makes the right directory: what
 * was there stays, under another name, and belongs to who made it.
 */
#ifndef JOBTRAIL_SESSION_PLACE_H
#define JOBTRAIL_SESSION_PLACE_H

#include <sys/types.h>

#define SESSION_ASIDE ".aside."

enum { SESSION_ASIDE_SIZE = 48 };

/* Puts what has the name of the user `uid` in the directory open at `base` aside, where no account
 * has that number, so that it is no number any more; a directory of his (a container's user) stays.
 * Returns and writes `aside` as session_place_mend(). */
int session_place_clear(int base, uid_t uid, char aside[SESSION_ASIDE_SIZE]);

/* Swaps what has the name of the user `uid` in the directory open at `base`, and is no directory of
 * his, for a directory of his that nobody else can look into. An empty one goes; for anything else
 * the new name, SESSION_ASIDE with the user's number and a random one, is written to `aside` (""
 * where nothing is left). Returns 0; -ENOENT where no account has this number: then all stays as it
 * is; or -errno. */
int session_place_mend(int base, uid_t uid, char aside[SESSION_ASIDE_SIZE]);

#endif
