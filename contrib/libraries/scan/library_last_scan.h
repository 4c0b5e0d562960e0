/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How the last scan of jobtrail-libmon(8) ended, for jobtrail-conf doctor: one line of a fixed
 * length in the file that scans take a lock of, <[libraries] state>/lock:
 *
 *     ended=SECONDS failed=0|1 away=NUMBER unreadable=NUMBER seen=SECONDS pid=NUMBER
 *
 * The numbers have blanks before them. A file without the line is that of a scan that has not
 * ended.
 */
#ifndef JOBTRAIL_LIBRARY_LAST_SCAN_H
#define JOBTRAIL_LIBRARY_LAST_SCAN_H

#include <stdbool.h>
#include <stdint.h>

struct library_last_scan {
    int64_t ended_s;     /* since the Epoch */
    bool is_failed;      /* configuration, state or a log could not be used */
    uint64_t trees_away; /* trees and mount points */
    uint64_t unreadable; /* files and directories */
    int64_t seen_s;      /* when the last scan that saw all began, since the Epoch; 0: none has */
    int32_t pid;         /* of the scan: what it has opened is told when it is over */
};

/* Writes to the lock's descriptor. Returns 0 or -errno; with an error the line of the scan before
 * can be there still. */
int library_last_scan_write(int lock, const struct library_last_scan *last);

/* Reads that of the state's directory. Returns 0 or -errno: -ENOENT where there was no scan, or
 * none has ended; -EINVAL for another content. */
int library_last_scan_read(const char *state, struct library_last_scan *last);

#endif
