/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A reserve for the journals of coming jobs, since users may fill the file system where their files
 * lie on that of the journals. It is a file of root's. When a job's directory cannot be made for
 * lack of room, the file is made smaller by one share.
 */
#ifndef JOBTRAIL_SPOOL_RESERVE_H
#define JOBTRAIL_SPOOL_RESERVE_H

#include <stdbool.h>

#define SPOOL_RESERVE_SHARES 8

/* Brings the reserve in the node's directory `base` to its full size: 4 MiB, or a sixteenth of a
 * small file system. Without room for that it stays as it is. */
void spool_reserve_fill(int base);

/* Frees one share. Returns whether there was one. */
bool spool_reserve_take(int base);

#endif
