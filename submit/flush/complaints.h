/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What our programs have to say on stderr once nobody reads it any more: the epilog has stopped
 * waiting, or the program has gone to the background. syslog(3) gets it then, facility daemon.
 */
#ifndef JOBTRAIL_COMPLAINTS_H
#define JOBTRAIL_COMPLAINTS_H

/* Makes stderr go to syslog as soon as its descriptor is a pipe that nobody reads. SIGPIPE must be
 * ignored. Once, before the first complaint; without memory stderr stays as it is. */
void complaints_open(void);

/* From now on all goes to syslog. */
void complaints_to_syslog(void);

#endif
