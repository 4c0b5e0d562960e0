/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A node's process watch looks at the processes of jobs about once a minute (process_look.h), and
 * sends start records soon after the starts. For these it waits on a named pipe (LEDGER_WAKE), to
 * which large MPI programs write a byte when they start. The value of the byte means nothing: a
 * user who writes to the pipe makes the process watch look, at the most once a second, and nothing
 * else. After such a look there is none for twenty times as long as it used processors; processes
 * are looked at meanwhile. There is one process watch for each spool; a new one ends the old one.
 */
#pragma once

#include <stdbool.h>

/* Watches until SIGTERM, in a process of its own where it is to be `in_background`: then the caller
 * ends with the status 0 as soon as that watches. `conf_path` is read again before each look. With
 * `ends_with_jobs` it ends when it looks at processes and the spool has no job any more; returns 0
 * then. Returns -errno when it cannot watch, and has said so on stderr. */
int watch_run(const char *conf_path, const char *node, bool in_background, bool ends_with_jobs);

/* Looks once at the processes of jobs, beside a process watch if any. Returns 0 or -errno. */
int watch_look(const char *conf_path, const char *node);

/* Ends the process watch of this spool, if there is one. Returns 0 or -errno. */
int watch_stop(const char *conf_path, const char *node);
