/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What waits in the outbox for one transport.
 */
#ifndef JOBTRAIL_OUTBOX_WAITING_H
#define JOBTRAIL_OUTBOX_WAITING_H

#include <stdbool.h>
#include <stdint.h>

#include "conf/conf.h"
#include "submit/outbox/outbox_backoff.h"

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

#endif
