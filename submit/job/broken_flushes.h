/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The file BROKEN_FLUSHES in the state directory: of how many jobs in a row, up to now, the flush's
 * child broke down, when the last one did, and when syslog got a line about that last, as
 * "COUNT SECONDS SECONDS\n" in decimal, seconds since the Epoch, 0: never. When the last flush of a
 * job did not break down, COUNT is 0, or the file is not there. jobtrail-submit writes it
 * (submit/flush/flush_breaks.h), jobtrail-conf doctor reads it.
 *
 * One job that breaks the flush is that job's doing, and lies in the quarantine; job after job is
 * a library or a kernel that does not do what it did when jobtrail was built.
 */
#ifndef JOBTRAIL_BROKEN_FLUSHES_H
#define JOBTRAIL_BROKEN_FLUSHES_H

#define BROKEN_FLUSHES "broken_flushes"

enum {
    BROKEN_FLUSHES_BYTES = 64, /* the file has fewer */
    BROKEN_FLUSHES_MANY = 3,   /* so many in a row are not caused by what is in a job */
};

#endif
