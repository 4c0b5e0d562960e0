/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where processes outside of Slurm are recorded: <sessions>/<uid>/<pid>.<ticks>/ledger, of the
 * user's, <pid>.<ticks> being the leader of the login or batch session (its pid and its start in
 * clock ticks since boot) with whose end the directory has done its duty. <sessions> is root's,
 * with mode 1733.
 */
#ifndef JOBTRAIL_SESSION_H
#define JOBTRAIL_SESSION_H

#include <limits.h>
#include <stdint.h>
#include <sys/types.h>

struct session {
    pid_t leader;
    uint64_t ticks;
};

/* Reads a directory's name. Returns whether it is one. */
int session_parse(const char *name, struct session *session);

/* The session of this process: its leader and when that started. Where the leader has ended or is
 * not seen from here, its first process of this user's from which this one descends. Returns 0 or
 * -errno (-ESRCH: nor is there one of these). */
int session_own(struct session *session);

/* Opens a directory of the calling user's that nobody else can look into, made where it is missing.
 * Returns a descriptor or -errno (-EPERM: it is there, and another's or open to others). */
int session_open_own(int at, const char *name);

/* The same for <sessions>/<uid>. */
int session_open_user(const char *sessions);

/* Makes the calling user's directory for a session below `sessions`, mode 0700, and writes its
 * path. Returns an open descriptor of it or -errno. */
int session_make(const char *sessions, const struct session *session, char path[PATH_MAX]);

#endif
