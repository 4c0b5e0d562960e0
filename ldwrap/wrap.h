/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* ---- Crashes of the wrapper ------------------------------------------------------------------ */

/* Lets the user's build continue when the wrapper crashes, exceeds a limit, or hangs. */

/* For the time before the link: after a crash this process runs the program `path` with `argv`.
 * Both must stay valid until crash_default(). */
void crash_runs_linker(const char *path, char *const *argv);

/* For the time after a link that succeeded: a crash, or more than half a minute, becomes a
 * successful exit. */
void crash_succeeds(void);

/* Restores the handlers of the time before. */
void crash_default(void);

/* Does what the linker `called` would do with these arguments, and marks and records the link.
 * Where it cannot mark or record, it runs the plain link. Returns the exit status, or never. */
int wrap(const char *called, int argc, char **argv);
