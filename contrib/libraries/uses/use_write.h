/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Uses that were counted go to logs and to records, by a child: a directory service, or a disk, may
 * take long. What the child could not write is known to its parent, also after a kill, and is
 * written with what comes later: it is neither lost nor written twice.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "conf/conf.h"
#include "contrib/libraries/uses/use_counts.h"

/* What was counted in some time. */
struct use_batch {
    struct use_counts counts; /* `lost` is part of `unseen` too, when it is to be written */
    uint64_t unseen;          /* opens of which too little is known to count them */
    bool has_gap;             /* others may have been missed, nobody knows how many */
    int64_t gap_s;            /* since then */
    int64_t after_s, before_s;
    int64_t told_s; /* until when nothing is missed that this does not say */
};

/* Since `time_s` some may have been missed. */
void use_batch_gap(struct use_batch *batch, int64_t time_s);

struct use_writer {
    const struct conf *conf;
    int directory; /* of logs; -1: there are none */
    int seen;      /* a file whose time of last modification becomes that of the last report */
    pid_t child;   /* 0: none */
    struct use_batch batch;      /* that it writes; owned */
    struct use_outcome *outcome; /* shared with it */
};

/* Begins to write the batch, which is taken over and emptied. `is_last`: no child does it. Returns
 * 0, or -errno: then nothing is begun, and nothing taken. */
int use_write_begin(struct use_writer *writer, struct use_batch *batch, bool is_last);

/* Whether it has not ended. */
bool use_write_goes_on(const struct use_writer *writer);

/* Waits for its end, and adds to `batch` what could not be written. Does nothing where none was
 * begun. */
void use_write_end(struct use_writer *writer, struct use_batch *batch);
