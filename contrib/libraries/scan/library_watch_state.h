/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How the watch of jobtrail-libmon(8) does on this host, for jobtrail-conf doctor: one line of a
 * fixed length in the file that the watch has a lock of (fcntl(2)), <[libraries] state>/watch:
 *
 *     directories=NUMBER unwatched=NUMBER error=NUMBER events=NUMBER unknown=NUMBER lost=NUMBER
 *     overruns=NUMBER uses=SECONDS scans=NUMBER
 *
 * The numbers have blanks before them.
 */
#ifndef JOBTRAIL_LIBRARY_WATCH_STATE_H
#define JOBTRAIL_LIBRARY_WATCH_STATE_H

#include <stdbool.h>
#include <stdint.h>

#define LIBRARY_WATCH_LOCK "watch"

struct library_watch_state {
    uint64_t directories, unwatched; /* that are watched; that cannot be */
    int32_t error;                   /* errno: why not */
    uint64_t events, unknown;        /* read; whose process was gone */
    uint64_t lost;                   /* paths beyond what is remembered */
    uint64_t overruns;               /* times that the kernel had no room for events */
    int64_t uses_s; /* since the Epoch: until when uses are told; 0: it does not count them */
    uint64_t scans;
};

/* Writes to the lock's descriptor. Returns 0 or -errno. */
int library_watch_state_write(int lock, const struct library_watch_state *watch);

/* Reads that of the state's directory; `*is_running`: a watch has the lock. Returns 0 or -errno:
 * -ENOENT where there was none; -EINVAL for another content. */
int library_watch_state_read(const char *state, struct library_watch_state *watch,
                             bool *is_running);

#endif
