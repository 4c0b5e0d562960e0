/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How a record that a user's own process has made gets on its way: a link's.
 */
#ifndef JOBTRAIL_LINK_SEND_H
#define JOBTRAIL_LINK_SEND_H

#include "conf/conf.h"
#include "submit/record/record.h"

/* Hands the record to the transport "file" where that is the only one and the user may write there;
 * else hands it in (hand_in.h), for whatever transports there are; where the site takes nothing in,
 * puts it into the user's own outbox. What had been put there goes the same way with the next
 * record that goes well, a few at a time. The transport "none" drops it. Returns 0, or -errno when
 * it could be put nowhere. Loads no library and makes no connection. */
int link_send(const struct conf *conf, const struct built_record *record);

/* The user's outbox: $XDG_STATE_HOME/jobtrail/outbox, or ~/.local/state/jobtrail/outbox. Its files
 * are whole records under their names. malloc'ed; NULL when there is no home or no memory. */
char *link_outbox(void);

struct link_outbox_count {
    unsigned sent, waiting;
};

/* Sends what waits in the user's outbox, `most` records of it. Returns 0, or -errno and stops at
 * the first that nobody takes, of which there may be more. */
int link_send_waiting(const struct conf *conf, unsigned most, struct link_outbox_count *count);

#endif
