/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A program that the watcher keeps running as its child.
 */
#ifndef JOBTRAIL_KEPT_CHILD_H
#define JOBTRAIL_KEPT_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

struct kept_child {
    pid_t pid; /* 0: it does not run */
    int ended; /* a descriptor, owned, that can be read when it has ended; 0: none */
};

/* Whether it runs. One that has ended is waited for. */
bool kept_child_runs(struct kept_child *child);

/* Starts `program` with the arguments `argv`, as execv(3) takes them. It gets SIGTERM when this
 * process ends. */
void kept_child_start(struct kept_child *child, const char *program, char *const argv[]);

#endif
