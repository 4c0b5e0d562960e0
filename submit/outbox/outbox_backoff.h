/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How long a transport that has failed is left alone: 15 seconds, doubled with each further failure
 * up to 15 minutes. Each node takes between half of that and one and a half times that, at random,
 * so that not all nodes send at once when a collector is there again. Where the receiver asks for a
 * longer time it gets it, half an hour at the most. The file .backoff keeps it over reboots, as
 * "FAILURES UNTIL REASON", UNTIL in seconds since the Epoch.
 */
#pragma once

#include <stdint.h>

#include "submit/outbox/transport.h"

#define OUTBOX_BACKOFF ".backoff"

struct outbox_backoff {
    unsigned failures; /* in a row; 0: none */
    uint64_t until_s;  /* since the Epoch */
    char reason[256];  /* of the last one */
};

/* Of the transport whose directory this is. What cannot be read is no failure. */
void outbox_backoff_read(int directory, struct outbox_backoff *backoff);

/* Whether the transport is to be left alone now. A time that is further off than a backoff lasts is
 * none: the clock was set. */
int outbox_backoff_holds(const struct outbox_backoff *backoff);

/* Notes one more failure after `backoff`. Returns 0 or -errno. */
int outbox_backoff_extend(int directory, const struct outbox_backoff *backoff,
                          const struct transport_trouble *trouble);
