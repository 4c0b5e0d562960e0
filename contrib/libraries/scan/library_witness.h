/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * By what uses of libraries from outside of jobs can be known on this host.
 */
#pragma once

#include <stdbool.h>

#include "conf/conf.h"

enum library_witness {
    WITNESS_UNKNOWN,  /* the file system cannot be asked */
    WITNESS_READS,    /* each read moves the time of last access: strictatime */
    WITNESS_REARMED,  /* the first read does, once a day, and after that time was set: relatime */
    WITNESS_WATCH,    /* the watch counts opens, and the file system is this host's alone */
    WITNESS_NO_ATIME, /* no read moves it: noatime */
    WITNESS_FIXED,    /* it is mounted so that nothing can be written */
    WITNESS_LAYERS,   /* an overlay: a time that is set copies the file into the upper layer */
};

/* Whether a watch runs here that counts opens: then it sees those of this host. */
bool library_witness_is_watched(const struct conf *conf);

/* Of the directory `path`, which may be one of /proc/self/fd. */
enum library_witness library_witness_of(const char *path, bool is_watched);

/* Whether times of last access tell of uses there. */
bool library_witness_is_atime(enum library_witness witness);

/* "watch", "atime" or "none". */
const char *library_witness_word(enum library_witness witness);

/* Why it is so, for people. */
const char *library_witness_reason(enum library_witness witness);
