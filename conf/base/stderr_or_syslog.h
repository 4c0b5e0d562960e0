/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Messages to stderr go to syslog(3), facility daemon, once nobody reads them any more: the epilog
 * has stopped waiting, or the program has gone to the background.
 */
#pragma once

/* Makes stderr go to syslog as soon as its descriptor is a pipe that nobody reads. SIGPIPE must be
 * ignored. Called once, before the first message; without memory stderr stays as it is. `program`
 * is the name before messages, which syslog says itself; it must live on. */
void stderr_or_syslog_open(const char *program);

/* From now on all messages go to syslog. */
void stderr_or_syslog_switch(void);
