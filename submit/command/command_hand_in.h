/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_COMMAND_HAND_IN_H
#define JOBTRAIL_COMMAND_HAND_IN_H

/* `jobtrail-submit hand-in`, run by a user: sends the records of links that wait in his own outbox
 * on their way, and says how many. Returns the exit status: 0; 1 when some still wait; 3 when the
 * configuration `path` cannot be used. */
int command_hand_in(const char *path);

#endif
