/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_OUTBOX_ASK_H
#define JOBTRAIL_OUTBOX_ASK_H

#include "conf/conf.h"
#include "submit/outbox/transport.h"

/* Opens the transport `name` and asks its receiver whether it would take records, for `timeout_ms`
 * milliseconds at the most. The outbox and the transport's back-off stay as they are. Returns 0, or
 * -errno, as the transport's ask(), and says why in `*trouble`, printable. */
int outbox_ask(const struct conf *conf, const char *name, unsigned timeout_ms,
               struct transport_trouble *trouble);

#endif
