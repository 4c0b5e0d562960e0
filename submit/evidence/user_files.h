/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Opening files in a directory of a user's, by root or by the user. Nothing leads out of it: no
 * symbolic link, no hard link to another user's file, and no mount, which could be a file system of
 * the user's that never answers (Linux before 5.6 cannot refuse mounts). Opening does not wait,
 * whatever is there.
 */
#pragma once

#include <sys/types.h>

/* Opens a directory of the user `uid` for reading. Returns a descriptor or -errno (-EPERM: it is
 * another user's; -EXDEV: something is mounted there; -ELOOP, -ENOTDIR: it is none). */
int user_directory_open(int at, const char *name, uid_t uid);

/* Opens a regular file of the user's, with one link, for reading. Returns a descriptor or -errno
 * (as above, and -EINVAL for any other kind of file). */
int user_file_open(int at, const char *name, uid_t uid);

/* ---- Root's notes of sessions ---------------------------------------------------------------- */

/* Root's notes of which records of a session have been sent (sessions.h): UID.SESSION;
 * and UID.SESSION.flushed and UID.SESSION.flushed.begun (job_progress.h). */

/* Removes from the directory open at `notes` the notes of sessions that have no directory in
 * [spool] sessions, open at `sessions`: users may remove directories of sessions themselves. When a
 * user moves such a directory back, its records are sent again, under the same names. */
void session_notes_clean(int notes, int sessions);
