/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The watcher of a node: sends start records soon after the starts. It sleeps on a named pipe
 * (LEDGER_WAKE) that large MPI programs write a byte to when they start; what the byte is says
 * nothing, so that a user who writes to the pipe makes it look, at the most once a second, and
 * nothing else; after a look it rests twenty times as long as that has used processors. There is
 * one for each spool; a new one takes the place of the old.
 */
#ifndef JOBTRAIL_WATCH_H
#define JOBTRAIL_WATCH_H

/* Watches until SIGTERM, in a process of its own where it is to be `in_background`: then the caller
 * ends with the status 0 as soon as that watches. `conf_path` is read again before each look.
 * Returns -errno when it cannot watch, and has said so on stderr. */
int watch_run(const char *conf_path, const char *node, int in_background);

/* Ends the watcher of this spool, if there is one. Returns 0 or -errno. */
int watch_stop(const char *conf_path, const char *node);

#endif
