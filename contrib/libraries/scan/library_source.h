/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The source of uses of libraries outside of jobs: the library watch, access times or none.
 */
#pragma once

#include <stdbool.h>

#include "conf/conf.h"

enum library_source {
    SOURCE_UNKNOWN,  /* the file system cannot be asked */
    SOURCE_READS,    /* each read moves the time of last access: strictatime */
    SOURCE_REARMED,  /* the first read does, once a day, and after that time was set: relatime */
    SOURCE_WATCH,    /* the watch counts opens, and the file system is this host's alone */
    SOURCE_NO_ATIME, /* no read moves it: noatime */
    SOURCE_FIXED,    /* it is mounted so that nothing can be written */
    SOURCE_LAYERS,   /* an overlay: a time that is set copies the file into the upper layer */
};

/* Whether a watch runs here that counts opens: then it sees those of this host. */
bool library_source_is_watched(const struct conf *conf);

/* Of the directory `path`, which may be one of /proc/self/fd. */
enum library_source library_source_of(const char *path, bool is_watched);

/* Whether times of last access tell of uses there. */
bool library_source_is_atime(enum library_source source);

/* "watch", "atime" or "none". */
const char *library_source_word(enum library_source source);

/* Why it is so, for people. */
const char *library_source_reason(enum library_source source);
