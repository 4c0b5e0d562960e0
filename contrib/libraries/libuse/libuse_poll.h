/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One turn: which libraries were read since the one before, by their times of last access. A file
 * has one use at the most in a turn, however often it was read.
 *
 * Only what is as the last scan saw it is looked at: a time of last access that moves and a time of
 * last change that does not are a read. What has changed is the scan's first.
 */
#pragma once

#include <stdint.h>

#include "conf/conf.h"
#include "contrib/libraries/libuse/libuse_batch.h"
#include "contrib/libraries/scan/library_state.h"

/* Where so many files of a tree, and more than half of those that are looked at, were read in one
 * turn, something has read the tree: a backup, or a search. These are no uses. */
enum { LIBUSE_ALL_FILES = 20 };

struct libuse_counts {
    uint64_t files;     /* libraries that are there */
    uint64_t looked;    /* of them, those that have a source and are as the scan saw them */
    uint64_t uses;      /* found; with those of a turn that was killed */
    uint64_t watched;   /* files on mounts of which the watch counts the opens */
    uint64_t no_atime;  /* on mounts with noatime */
    uint64_t fixed;     /* on those that are read-only */
    uint64_t layers;    /* on overlays */
    uint64_t not_noted; /* of which the state has no row */
    uint64_t waiting;   /* of which the scan has to tell something first */
    uint64_t away;      /* trees */
    uint64_t unreadable;
    struct libuse_batch_counts set;
};

struct libuse_order {
    const struct conf *conf;
    void *context;
    /* What is said of a path. */
    void (*warn)(void *context, const char *path, const char *text);
    /* Of so many files of a tree reads are not seen from `after_s` until the next scan. */
    void (*unheard)(void *context, const char *tree, uint64_t files, int64_t after_s);
    /* Most of a tree was read: returns 0 or -errno. */
    int (*all)(void *context, const char *tree, const struct library_reads_sum *sum,
               uint64_t looked);
};

/* Looks at all trees, and leaves the uses in the state, to be reported. Returns 0, or -errno of the
 * state or of `all`. */
int libuse_poll(const struct libuse_order *order, struct library_state *state,
                struct libuse_counts *counts);
