/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The kernel's witness (jobtrail-submit witness): a child of the node's watcher, as the watch of
 * libraries is (watch_libraries.h).
 */
#ifndef JOBTRAIL_WATCH_WITNESS_H
#define JOBTRAIL_WATCH_WITNESS_H

#include "conf/conf.h"

/* Starts it where [witness] of `conf`, the file `path`, asks for it and it does not run, and ends
 * it where that asks for something else than at its start; to be called now and then. It ends with
 * the watcher. */
void watch_witness_keep(const char *path, const char *node, const struct conf *conf);

/* A descriptor that can be read when it has ended; -1: it does not run. */
int watch_witness_ended(void);

#endif
