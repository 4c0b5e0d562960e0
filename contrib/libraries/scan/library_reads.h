/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Uses by times of last access, in the state of scans (library_state.h), for jobtrail-libuse(8).
 * The caller has the state's lock, as scans do.
 *
 *   file.atime   the time of last access that is counted already
 *   rearm        files whose time of last access is being set, so that the next read moves it
 *   used         uses that are still to be reported
 *   polled       when the last turn was, of each place
 *
 * Setting a time moves the time of last change (ctime). A row of `rearm` is on the disk before, and
 * the new ctime of the file comes into `file` with the end of that row: so a scan sees no change.
 * After a kill in between it is not known who caused a later ctime. Then the file is compared: its
 * content, and in rearm.rest what the state of scans does not have.
 *
 * Calls return 0 or -errno; library_state_error() says in words what is wrong.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/hash.h"
#include "contrib/libraries/scan/library_state.h"
#include "contrib/libraries/scan/library_walk.h"

/* Nothing was seen yet. */
#define LIBRARY_READS_NEVER INT64_MIN

/* Makes what only jobtrail-libuse needs. */
int library_reads_prepare(struct library_state *state);

/* ---- Files ----------------------------------------------------------------------------------- */

struct library_read_row {
    size_t place;
    int64_t seen_ns;          /* the time of last access that is counted; LIBRARY_READS_NEVER */
    struct library_file file; /* inode, size and times alone */
};

/* The row of a file. Returns 1; 0 where the scan has not seen it; or -errno. */
int library_reads_find(struct library_state *state, const char *key, size_t size,
                       struct library_read_row *row);

/* The file `is`, with all its names, has this time of last access. Returns also -ESTALE where no
 * scan has seen this file on this device: nothing is noted. */
int library_reads_seen(struct library_state *state, const struct library_file *is, int64_t seen_ns);

/* The time of last change of the file that was `was`, with all its names, is now `changed_ns`; 0:
 * the scan is to look at the file again. Returns also -ESTALE, as above. */
int library_reads_changed(struct library_state *state, const struct library_file *was,
                          int64_t changed_ns);

/* ---- Setting times --------------------------------------------------------------------------- */

struct library_rearm {
    struct library_file was;
    int64_t seen_ns, armed_ns; /* the time of last access as it was, and as it is to be */
    struct digest rest;
};

/* The digest of what else a change of a file can be about: owner, mode, number of links, flags,
 * extended attributes and access lists. `path` may be one of /proc/self/fd. Returns 0 or -errno:
 * -E2BIG where there is too much of it. */
int library_reads_rest(const char *path, struct digest *rest);

/* Before: keeps it; library_state_commit() brings it to the disk. And after. */
int library_reads_arm(struct library_state *state, const struct library_rearm *rearm);
int library_reads_armed(struct library_state *state, const struct library_file *was);

/* Whether the file that was `was` may have its time of last change from a turn that was killed:
 * but for its content, it is what it was. Returns 1, 0 or -errno. */
int library_reads_is_rearmed(struct library_state *state, const struct library_seen *seen,
                             const struct library_file *was);

/* ---- Uses ------------------------------------------------------------------------------------ */

struct library_use {
    int64_t id;
    char *path; /* owned */
    char library[LIBRARY_TEXT_SIZE];
    int64_t after_s, before_s; /* the use was after the one, and not after the other */
};

/* When the last turn began that has looked at the place; LIBRARY_READS_NEVER. */
int library_reads_polled(struct library_state *state, size_t place, int64_t *began_s);
int library_reads_set_polled(struct library_state *state, size_t place, int64_t began_s);

/* A use of a file of this tree. */
int library_reads_add(struct library_state *state, const char *tree, const char *key, size_t size,
                      int64_t after_s, int64_t before_s);

/* The uses of the tree that are not ended, also of a turn that was killed. */
struct library_reads_sum {
    uint64_t files;
    int64_t after_s, before_s;
};
int library_reads_sum(struct library_state *state, const char *tree, struct library_reads_sum *sum);

/* Ends them: they are to be reported, or dropped. */
int library_reads_end(struct library_state *state, const char *tree, bool is_dropped);

/* Up to `most` of those that are to be reported, behind the one of this id; frees `uses`. */
int library_reads_uses(struct library_state *state, int64_t after_id, struct library_use *uses,
                       size_t most, size_t *count);

/* Those up to this id are reported. */
int library_reads_told(struct library_state *state, int64_t id);
