/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What waits in the outbox for one transport.
 */
#ifndef JOBTRAIL_OUTBOX_WAITING_H
#define JOBTRAIL_OUTBOX_WAITING_H

#include <stdbool.h>
#include <stdint.h>

#include "submit/outbox/outbox_backoff.h"

struct outbox_waiting {
    const char *name; /* of the transport */
    bool is_configured;
    uint64_t batches, records, bytes, oldest_s; /* oldest_s: since the Epoch, 0: none */
    uint64_t lost; /* records, refused or damaged, for which the quarantine had no room */
    struct outbox_backoff backoff;
};

/* Adds what waits for the transport `waiting->name` in the directory of outbox_directory(), and its
 * backoff. Returns 0 or -errno. */
int outbox_waiting_count(int outbox, struct outbox_waiting *waiting);

/* Seconds since the Epoch, out of a batch's name; 0 when it is none. */
uint64_t outbox_batch_time(const char *name);

#endif
