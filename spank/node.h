/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where and since when: what says of a process, beyond its pid, which one it is.
 */
#ifndef JOBTRAIL_NODE_H
#define JOBTRAIL_NODE_H

#include <sys/types.h>

#include "spank/journal_line.h"

/* Adds this node's name and the kernel's id of this boot (random(4), boot_id). */
void node_add(struct journal_line *line);

/* Clock ticks since boot at which the process `pid` started, 0 when unknown (proc(5)). */
unsigned long long node_start_ticks(pid_t pid);

#endif
