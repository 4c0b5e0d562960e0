/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Root's notes of which records of a session have been sent (sessions.h): UID.SESSION;
 * and UID.SESSION.flushed and UID.SESSION.flushed.begun (job_progress.h).
 */
#ifndef JOBTRAIL_SESSION_NOTES_H
#define JOBTRAIL_SESSION_NOTES_H

/* Removes from the directory open at `notes` the notes of sessions that have no directory in
 * [spool] sessions, open at `sessions`: users may remove directories of sessions themselves. When a
 * user moves such a directory back, its records are sent again, under the same names. */
void session_notes_clean(int notes, int sessions);

#endif
