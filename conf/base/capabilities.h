/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_CAPABILITIES_H
#define JOBTRAIL_CAPABILITIES_H

/* Gives up all capabilities (capabilities(7)) of this process for good, and the way to get new ones
 * by a program. Root's files stay its own; what is open stays open. Returns 0 or -errno. */
int capabilities_drop(void);

#endif
