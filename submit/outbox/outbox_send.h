/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Handing what lies in the outbox to the transports: one sender for each transport at a time on a
 * node.
 */
#ifndef JOBTRAIL_OUTBOX_SEND_H
#define JOBTRAIL_OUTBOX_SEND_H

#include <stdint.h>

#include "conf/conf.h"

struct outbox_send_options {
    uint64_t deadline_ns;  /* CLOCK_MONOTONIC */
    const char *transport; /* NULL: all that are configured */
    int at_once;           /* whether a transport has failed lately or not */
};

struct outbox_sent {
    uint64_t accepted; /* by one transport each */
    uint64_t refused;  /* by the receiver, and set aside (outbox_quarantine.h) */
    uint64_t damaged;  /* lines of batches, and batches, set aside */
    uint64_t waiting;  /* transports that still have something to send */
};

/* Sends. Trouble is told on stderr and does not keep the other transports. Returns 0, or -errno
 * when there is no telling what is in the outbox. */
int outbox_send(const struct conf *conf, const struct outbox_send_options *options,
                struct outbox_sent *sent);

#endif
