/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What extensions let the process watch keep running, each as a child: so neither
 * waits for the other, and a node has one daemon. An extension defines its row in its own folder.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "conf/conf.h"

/* A program that the process watch keeps running as its child. */
struct kept_child {
    pid_t pid; /* 0: it does not run */
    int ended; /* a descriptor, owned, that can be read when it has ended; 0: none */
};

/* Whether it runs. One that has ended is waited for. */
bool kept_child_runs(struct kept_child *child);

/* Starts `program` with the arguments `argv`, as execv(3) takes them. It gets SIGTERM when this
 * process ends. */
void kept_child_start(struct kept_child *child, const char *program, char *const argv[]);

struct watch_child {
    /* Starts it where `conf`, the file `path`, asks for it and it does not run, and ends it where
     * that asks for something else than at its start; called now and then. It ends with the
     * process watch. */
    void (*keep)(const char *path, const char *node, const struct conf *conf);

    /* A descriptor that can be read when it has ended; -1: it does not run. */
    int (*ended)(void);
};

enum { WATCH_CHILDREN_MOST = 2 };

/* Those that are built (flush_part.c); behind the last one is NULL. */
extern const struct watch_child *const watch_children[WATCH_CHILDREN_MOST + 1];

extern const struct watch_child watch_child_libraries; /* contrib/libraries/flush */
extern const struct watch_child watch_child_witness;   /* contrib/witness/flush */
