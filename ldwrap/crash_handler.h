/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What becomes of the link if we crash, are over a limit, or hang: the user's build goes on.
 */
#ifndef JOBTRAIL_LDWRAP_CRASH_HANDLER_H
#define JOBTRAIL_LDWRAP_CRASH_HANDLER_H

/* Before the link: a fault in this process becomes the program `path` with `argv`, both valid until
 * crash_default(). */
void crash_runs_linker(const char *path, char *const *argv);

/* After a link that succeeded: a fault, or more than half a minute, becomes a successful exit. */
void crash_succeeds(void);

/* Faults are faults again. */
void crash_default(void);

#endif
