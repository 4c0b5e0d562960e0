/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Handing what lies in the outbox to the transports: one sender for each transport at a time on a
 * node.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "conf/conf.h"
#include "submit/outbox/outbox_backoff.h"

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

/* Sends. Trouble is reported on stderr and does not keep the other transports. Returns 0, or -errno
 * when there is no telling what is in the outbox. */
int outbox_send(const struct conf *conf, const struct outbox_send_options *options,
                struct outbox_sent *sent);

/* Opens the transport `name` and asks its receiver whether it would take records, for `timeout_ms`
 * milliseconds at the most. The outbox and the transport's back-off stay as they are. Returns 0, or
 * -errno, as the transport's ask(), and says why in `*trouble`, printable. */
int outbox_ask(const struct conf *conf, const char *name, unsigned timeout_ms,
               struct transport_trouble *trouble);

/* What waits in the outbox for one transport. */
struct outbox_waiting {
    const char *name; /* of the transport */
    bool is_configured;
    uint64_t batches, records, bytes, oldest_s; /* oldest_s: since the Epoch, 0: none */
    uint64_t lost; /* records, refused or damaged, for which the quarantine had no room */
    struct outbox_backoff backoff;
};

/* Reads what waits for the transport `name` in `outbox`, as outbox_directory() has returned it, and
 * its backoff. Returns 0; or -errno, where counts are those of what could be read. */
int outbox_waiting_read(const struct conf *conf, int outbox, const char *name,
                        struct outbox_waiting *waiting);
