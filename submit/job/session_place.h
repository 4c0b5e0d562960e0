/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Makes sure that <sessions>/<uid> is that user's. Every user may make names in <sessions>
 * (session.h), also the number of another user. Root renames such a directory or file and makes the
 * right directory. What was renamed is kept, and still belongs to its maker.
 */
#ifndef JOBTRAIL_SESSION_PLACE_H
#define JOBTRAIL_SESSION_PLACE_H

#include <sys/types.h>

#define SESSION_ASIDE ".aside."

enum { SESSION_ASIDE_SIZE = 48 };

/* Renames what has the number `uid`, of which there is no account, in the directory open at `base`.
 * A directory that belongs to that number (of a container's user) stays. Returns and writes `aside`
 * as session_place_mend(). */
int session_place_clear(int base, uid_t uid, char aside[SESSION_ASIDE_SIZE]);

/* Replaces what has the number `uid` in the directory open at `base`, and is no directory of that
 * user, by a directory of the user that nobody else can look into. What was there is removed where
 * it is an empty directory, and else renamed to SESSION_ASIDE with the number and a random one;
 * `aside` is the new name, "" where it was removed. Returns 0; -ENOENT where no account has this
 * number: then nothing is changed; or -errno. */
int session_place_mend(int base, uid_t uid, char aside[SESSION_ASIDE_SIZE]);

#endif
