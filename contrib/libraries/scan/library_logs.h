/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Changes as lines in the logs of libraries, for people and for jobtrail-libq: the form is that of
 * library_log.h, with the words
 *
 *     LOG_CREATED LIB_ADDED LIB_MODIFIED LIB_REPLACED LIB_TOUCHED LIB_MOVED LIB_REMOVED LIB_MORE
 *
 * and behind them KEY=VALUE, in which blanks, backslashes and what is no printable ASCII are
 * written as \xHH, and what is longer than LIBRARY_LOG_VALUE_MAX ends with \... instead. LIB_MORE
 * has the number of changes, of one user in one scan, that were too many.
 *
 * Whatever the moment at which a writer is killed, each line is in its log once and whole in the
 * end. The state has the size of a log from before its lines are written until they are on disk:
 * who goes on writes them over what is there of them. Nobody else writes to a log.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "conf/conf.h"
#include "contrib/libraries/library_whos.h"
#include "contrib/libraries/log_write.h"
#include "contrib/libraries/scan/library_change.h"
#include "contrib/libraries/scan/library_state.h"

enum { LIBRARY_LOG_VALUE_MAX = 2048, LIBRARY_LOG_LINES_MAX = 1000 };

/* What else is done with each change that is reported: once, unless the scan is killed, or
 * a log cannot be written. */
struct library_teller {
    int (*tell)(void *context, const struct library_change *change); /* returns 0 or -errno */
    int (*flush)(void *context); /* whether all is where it is to be: returns 0 or -errno */
    const struct conf *conf;     /* of the groups */
    void *context;
    const struct library_whos *whos; /* NULL: nobody has watched who does what */
    /* Keeps for good what was reported, before it is taken out of the state: returns 0, or -errno
     * where all is to be reported again. NULL: nothing is to be kept. */
    int (*keep)(void *context);
    /* What is wrong after `keep` has failed; valid until the next call. NULL: something else is. */
    const char *(*trouble)(void *context);
    /* How many changes it has reported in detail; NULL: it does not count. Kept in the state with
     * what is reported, so that after a kill the same changes are reported in detail. */
    uint64_t *count;
    int64_t seen_s; /* when the last scan that saw all began, set by library_scan(); 0: never */
};

/* The name of the log of a library, which can have any name: NAME.log, or by-owner/USER.log for the
 * files of a user who is not believed (library_owners.h). */
void library_log_file(const char *library, char name[LIBRARY_LOG_NAME_SIZE]);

/* Writes one line. `entry_s` is the time of the entry; `is_new`: it is the first of its log. */
void library_log_line(FILE *stream, const struct library_change *change, int64_t entry_s,
                      bool is_new);

/* Tells all settled changes of the state: to the logs (NULL: there are none, and the teller alone
 * keeps them), then to the teller; and takes them out of the state. Returns 0 or -errno, with the
 * name of the log that it is about in `trouble`, or "". */
int library_logs_write(struct library_state *state, const struct library_logs *logs,
                       const struct library_teller *teller, char trouble[LIBRARY_LOG_NAME_SIZE]);
