/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where processes outside of Slurm are recorded: <sessions>/<uid>/<pid>.<ticks>/ledger, a file of
 * the user's. <pid> and <ticks> are the pid of the leader of the login or batch session, and its
 * start in clock ticks since boot. The directory is needed until that session ends. <sessions> is
 * root's, with mode 1733.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct session {
    pid_t leader;
    uint64_t ticks;
};

/* Parses <pid>.<ticks>. Returns whether `name` is of that form. */
bool session_parse(const char *name, struct session *session);

/* The session of this process: its leader and the leader's start. Where the leader has ended or
 * cannot be seen, the oldest ancestor of this process in its session and of its user takes its
 * place. Returns 0, or -ESRCH where there is none either. */
int session_own(struct session *session);

/* Opens a directory of the calling user's that nobody else can look into; makes it where it is
 * missing. Returns a descriptor or -errno (-EPERM: it is another user's, or open to others). */
int session_open_own(int at, const char *name);

/* The same for <sessions>/<uid>. */
int session_open_user(const char *sessions);

/* Makes the calling user's directory for a session below `sessions`, mode 0700, and writes its
 * path. Returns an open descriptor of it or -errno. */
int session_make(const char *sessions, const struct session *session, char path[PATH_MAX]);

/* ---- Directories of users -------------------------------------------------------------------- */

/* Makes sure that <sessions>/<uid> is that user's. Every user may make names in <sessions>
 * (session.h), also the number of another user. Root renames such a directory or file and makes the
 * right directory. What was renamed is kept, and still belongs to its maker. */

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
