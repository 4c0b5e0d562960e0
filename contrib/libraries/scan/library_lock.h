/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Opens directories of root's, and locks the state: only the holder changes it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Opens a directory of root's, made with this mode where it is missing; 0: it is not made. Returns
 * a descriptor or -errno, with the reason in `trouble`, of `size` bytes; it is as it was with
 * -ENOENT and the mode 0. */
int library_own_directory(const char *path, mode_t mode, char *trouble, size_t size);

/* Takes the lock of the state's directory, which is made where it is missing. Returns a descriptor
 * that has it until it is closed, or -errno, with the reason in `trouble`: -EWOULDBLOCK, without
 * one, while another has it and this does not wait. */
int library_lock(const char *state, bool is_waiting, char *trouble, size_t size);

/* ---- The last scan --------------------------------------------------------------------------- */

/* How the last scan of jobtrail-libmon(8) ended, for jobtrail-conf doctor: one line of a fixed
 * length in the file that scans take a lock of, <[libraries] state>/lock:
 *
 *     ended=SECONDS failed=0|1 away=NUMBER unreadable=NUMBER seen=SECONDS pid=NUMBER
 *
 * The numbers have blanks before them. A file without the line is that of a scan that has not
 * ended. */

struct library_last_scan {
    int64_t ended_s;     /* since the Epoch */
    bool is_failed;      /* configuration, state or a log could not be used */
    uint64_t trees_away; /* trees and mount points */
    uint64_t unreadable; /* files and directories */
    int64_t seen_s;      /* when the last scan that saw all began, since the Epoch; 0: none has */
    int32_t pid;         /* of the scan: what it has opened is reported when it is over */
};

/* Writes to the lock's descriptor. Returns 0 or -errno; with an error the line of the scan before
 * can be there still. */
int library_last_scan_write(int lock, const struct library_last_scan *last);

/* Reads that of the state's directory. Returns 0 or -errno: -ENOENT where there was no scan, or
 * none has ended; -EINVAL for another content. */
int library_last_scan_read(const char *state, struct library_last_scan *last);

/* ---- The state of the watch ------------------------------------------------------------------ */

/* How the watch of jobtrail-libmon(8) does on this host, for jobtrail-conf doctor: one line of a
 * fixed length in the file that the watch has a lock of (fcntl(2)), <[libraries] state>/watch:
 *
 *     directories=NUMBER unwatched=NUMBER error=NUMBER events=NUMBER unknown=NUMBER lost=NUMBER
 *     overruns=NUMBER uses=SECONDS scans=NUMBER
 *
 * The numbers have blanks before them. */

#define LIBRARY_WATCH_LOCK "watch"

struct library_watch_state {
    uint64_t directories, unwatched; /* that are watched; that cannot be */
    int32_t error;                   /* errno: why not */
    uint64_t events, unknown;        /* read; whose process was gone */
    uint64_t lost;                   /* paths beyond what is remembered */
    uint64_t overruns;               /* times that the kernel had no room for events */
    int64_t uses_s; /* since the Epoch: until when uses are reported; 0: it does not count them */
    uint64_t scans;
};

/* Writes to the lock's descriptor. Returns 0 or -errno. */
int library_watch_state_write(int lock, const struct library_watch_state *watch);

/* Reads that of the state's directory; `*is_running`: a watch has the lock. Returns 0 or -errno:
 * -ENOENT where there was none; -EINVAL for another content. */
int library_watch_state_read(const char *state, struct library_watch_state *watch,
                             bool *is_running);
