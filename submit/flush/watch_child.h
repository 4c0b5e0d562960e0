/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What extensions let the node's watcher keep running, each as a child (kept_child.h): so neither
 * waits for the other, and a node has one daemon. An extension defines its row in its own folder.
 */
#ifndef JOBTRAIL_WATCH_CHILD_H
#define JOBTRAIL_WATCH_CHILD_H

#include "conf/conf.h"

struct watch_child {
    /* Starts it where `conf`, the file `path`, asks for it and it does not run, and ends it where
     * that asks for something else than at its start; called now and then. It ends with the
     * watcher.
     */
    void (*keep)(const char *path, const char *node, const struct conf *conf);

    /* A descriptor that can be read when it has ended; -1: it does not run. */
    int (*ended)(void);
};

extern const struct watch_child watch_child_libraries; /* contrib/libraries/flush */
extern const struct watch_child watch_child_witness;   /* contrib/witness/flush */

#endif
