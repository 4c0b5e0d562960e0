/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Root's notes of which records of a session have been sent (sessions.h): UID.SESSION;
 * and UID.SESSION.flushed and UID.SESSION.flushed.begun (job_progress.h).
 */
#ifndef JOBTRAIL_SESSION_NOTES_H
#define JOBTRAIL_SESSION_NOTES_H

/* Removes, of the directory of notes open at `notes`, those of sessions that are no longer in
 * [spool] sessions, open at `sessions`: a user may put a session's directory away himself, as often
 * as he likes. Should he bring it back, its records are sent again, under the same names. */
void session_notes_clean(int notes, int sessions);

#endif
