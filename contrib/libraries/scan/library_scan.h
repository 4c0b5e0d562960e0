/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One scan: what has changed in the trees of [libraries] since the last one.
 *
 * The walk and the rows of the state have the same order, and go on side by side. What has the
 * size, inode and times of its row is not opened. A file that is not there any more counts as
 * removed only where the file system that it was on is still mounted there: a tree that is away is
 * reported and stays in the state.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "conf/conf.h"
#include "contrib/libraries/scan/library_logs.h"

enum { LIBRARY_LEFT_MAX = 8 };

/* Of a scan that may come to a file system that does not answer; shared with whom looks after it.
 */
struct library_beat {
    uint64_t count;                        /* grows with each path */
    char at[PATH_MAX];                     /* the path that is looked at; "": none */
    char left[LIBRARY_LEFT_MAX][PATH_MAX]; /* not looked at, as unreadable by -ETIMEDOUT */
    unsigned left_count;
    unsigned hash_ms; /* what a file's hash may take */
};

struct library_scan_order {
    const struct conf *conf;
    const char *root; /* of packages, see library_packages_read() */
    bool is_dry;      /* nothing is written */
    bool is_waiting;  /* for another scan to end */
    bool skips_new;   /* what is seen for the first time is not hashed */
    bool is_accepted; /* what is away is removed */
    struct library_teller teller;
    struct library_beat *beat; /* NULL: nobody looks */
    /* What is said of a tree or file, by its path. */
    void (*warn)(void *context, const char *path, const char *text);
    /* Called now and then; `count` files have been seen. NULL: is not. */
    void (*progress)(void *context, uint64_t count);
    /* Called when all is reported, but for a dry run, before another scan can begin. Returns 0; or
     * -errno, and says in `trouble` why: the scan has failed then. NULL: is not. */
    int (*end)(const struct conf *conf, char *trouble, size_t size);
};

struct library_scan_counts {
    uint64_t files;    /* that are there */
    uint64_t hashed;   /* of them, those that were read */
    uint64_t unhashed; /* of those, beyond the bounds of what is hashed */
    uint64_t away;     /* of the state, not seen: their tree or directory was not there as before */
    uint64_t unreadable; /* files and directories */
    uint64_t too_deep;   /* files and directories that library_walk() is too_deep() for */
    uint64_t trees_away; /* trees and mount points */
    uint64_t forgotten;  /* by other patterns they are no libraries any more */
};

enum library_scan_outcome {
    LIBRARY_SCAN_DONE,
    LIBRARY_SCAN_LOCKED, /* another scan is running */
    LIBRARY_SCAN_FAILED, /* `trouble` says why */
};

/* Scans, and tells all changes, also of a scan that was killed. `trouble` has `size` bytes. */
enum library_scan_outcome library_scan(const struct library_scan_order *order,
                                       struct library_scan_counts *counts, char *trouble,
                                       size_t size);
