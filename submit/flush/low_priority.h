/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_LOW_PRIORITY_H
#define JOBTRAIL_LOW_PRIORITY_H

/* Gives this process, and all that it starts, the lowest priority on the node: nice 19, the idle
 * class for disks, and in a control group of its own (flush_cgroup.h) where one can be
 * made. What cannot be done is left out; jobtrail-conf doctor tells of it. */
void low_priority(void);

#endif
