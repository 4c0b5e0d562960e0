/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_LOW_PRIORITY_H
#define JOBTRAIL_LOW_PRIORITY_H

/* Puts this process, and all that it starts, behind everything else on the node: nice 19, disks
 * when nobody else wants them, and in a control group of its own (flush_cgroup.h) where one can be
 * made. What cannot be done is left: jobtrail-conf doctor says so. */
void low_priority(void);

#endif
