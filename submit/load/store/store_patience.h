/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Other writers may be in the way, and a database may be away for a while.
 */
#ifndef JOBTRAIL_STORE_PATIENCE_H
#define JOBTRAIL_STORE_PATIENCE_H

/* Calls `attempt` again while it returns -EAGAIN, for a minute. Returns what it returned last. */
int store_patiently(int (*attempt)(void *context), void *context);

#endif
