/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Files whose time of last access is set so that their next read moves it: under relatime that is
 * where it is not after the time of last change, which setting it moves. It is set to a second
 * before what it was.
 *
 * Each change of the file by somebody else, from before it was found as the last scan saw it until
 * after its new time of last change is one that the next change cannot have too, leaves that time
 * to the scan, which tells it: the kernel says what is done on this host (inotify(7); it does not
 * take setting the time of last access alone for a change), and what others do shows in the time of
 * last change right before the time is set, and in what the file is afterwards.
 */
#pragma once

#include <stdint.h>

#include "contrib/libraries/scan/library_reads.h"

struct libuse_batch;

struct libuse_batch_counts {
    uint64_t armed;
    uint64_t changed; /* somebody has changed them meanwhile: the scan tells it */
    uint64_t unheard; /* the kernel has dropped what was done to them, or to others */
    uint64_t failed;  /* their time cannot be set, by `error`, a -errno */
    int error;
};

/* Returns NULL when out of memory; libuse_batch_free() releases, and takes NULL. */
struct libuse_batch *libuse_batch_new(void);
void libuse_batch_free(struct libuse_batch *batch);

/* Adds a file that is as the last scan saw it. Returns 0 or -errno, of the state. */
int libuse_batch_add(struct libuse_batch *batch, struct library_state *state,
                     const struct library_seen *seen, struct libuse_batch_counts *counts);

/* Commits the state, sets the times of what was added, and keeps the new times of last change.
 * Returns 0 or -errno, of the state. */
int libuse_batch_end(struct libuse_batch *batch, struct library_state *state,
                     struct libuse_batch_counts *counts);
