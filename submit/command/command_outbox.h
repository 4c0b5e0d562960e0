/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * `jobtrail-submit send` and `jobtrail-submit outbox`: what lies between the flush and the
 * collector.
 */
#ifndef JOBTRAIL_COMMAND_OUTBOX_H
#define JOBTRAIL_COMMAND_OUTBOX_H

/* Whether the command, argv[1], is one of these. */
int command_outbox_is(int argc, char *argv[]);

/* Runs it; returns the exit status. */
int command_outbox(int argc, char *argv[]);

#endif
