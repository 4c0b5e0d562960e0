/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The watch of the site's libraries (jobtrail-libmon watch, see jobtrail-libmon(8)): a child of the
 * node's watcher, so that neither waits for the other, and that a node has one daemon.
 */
#ifndef JOBTRAIL_WATCH_LIBRARIES_H
#define JOBTRAIL_WATCH_LIBRARIES_H

#include "conf/conf.h"

/* Starts it where [libraries] of `conf`, the file `path`, asks for it and it does not run; to be
 * called now and then. It ends with the watcher, and by itself where it is not asked for any more.
 * That it cannot be started is said on stderr once. */
void watch_libraries_keep(const char *path, const struct conf *conf);

#endif
