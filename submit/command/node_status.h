/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What spool, outbox and quarantine of a node say about its jobs and records.
 */
#ifndef JOBTRAIL_NODE_STATUS_H
#define JOBTRAIL_NODE_STATUS_H

#include <stddef.h>
#include <stdint.h>

#include "conf/conf_transport.h"
#include "submit/outbox/outbox_waiting.h"

/* Where the figures come from. What comes from one that cannot be read is not told. */
enum node_place { PLACE_BREAKS, PLACE_SPOOL, PLACE_QUARANTINE, PLACE_OUTBOX, NODE_PLACES };

/* What the node's directories say. Times are seconds since the Epoch, 0: there is none. */
struct node_status {
    uint64_t jobs, jobs_over, oldest_over_s;
    uint64_t others_jobs; /* of other versions */
    uint64_t broken, broken_last_s;
    uint64_t quarantined, quarantined_last_s;
    uint64_t overflow;
    struct outbox_waiting transport[CONF_TRANSPORTS];
    size_t transport_count;
    int error[NODE_PLACES]; /* -errno where what is there could not be read */
};

/* Reads all of it, of the node `name`. What cannot be read is 0, and its place has an error. */
void node_status_read(const struct conf *conf, const char *name, struct node_status *node);

#endif
