/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The control group of the node's flushes, "jobtrail" at the top of each hierarchy of cgroups (1 or
 * 2) that can limit processor time or memory: together they get one processor and 4 GiB.
 */
#pragma once

#include <stdbool.h>

enum flush_cgroup_limit { FLUSH_CGROUP_CPU = 1, FLUSH_CGROUP_MEMORY = 2 };

/* Makes the group where it can be made, and moves this process into it if it is to `enter`. Returns
 * the limits that hold then, of enum flush_cgroup_limit, or'ed together; 0: none. */
int flush_cgroup_make(bool enter);
