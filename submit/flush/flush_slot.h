/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A node goes on with one flush at a time when its epilog waits no longer: whoever holds the lock
 * on <state>/flush.lock. The others leave their jobs where they are, and the holder looks for them
 * when it is done with its own.
 */
#ifndef JOBTRAIL_FLUSH_SLOT_H
#define JOBTRAIL_FLUSH_SLOT_H

/* Takes it. Returns a descriptor, to be closed; -EAGAIN while another has it; or -errno. */
int flush_slot_take(const char *state);

#endif
