/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What identifies a process in addition to its pid: the node, the boot and the start of the
 * process.
 */
#ifndef JOBTRAIL_NODE_H
#define JOBTRAIL_NODE_H

#include <sys/types.h>

#include "spank/journal_line.h"

/* Adds this node's name and the kernel's id of this boot (random(4), boot_id). */
void node_add(struct journal_line *line);

/* Clock ticks since boot at which the process `pid` started; 0: unknown (proc(5)). */
unsigned long long node_start_ticks(pid_t pid);

#endif
