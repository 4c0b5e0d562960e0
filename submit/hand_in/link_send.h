/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sends the record of a link, as the process of an ordinary user that has made it.
 */
#pragma once

#include "conf/conf.h"
#include "submit/outbox/outbox.h"
#include "submit/record/record.h"

/* Where the transport "file" is the only one and the user may write to its directory, the record is
 * written there. Else it is handed in (hand_in()). Where the site takes no records in, it is put
 * into the user's own outbox, from where it is sent the same way after a later record that could be
 * sent, a few at a time. The transport "none" drops it. Returns 0, or -errno when the record could
 * be put nowhere. Loads no library and makes no connection. */
int link_send(const struct conf *conf, const struct built_record *record);

struct link_outbox_count {
    unsigned sent, waiting;
};

/* Sends what waits in the user's outbox, `most` records of it. Returns 0, or -errno and stops at
 * the first that nobody takes, of which there may be more. */
int link_send_waiting(const struct conf *conf, unsigned most, struct link_outbox_count *count);

/* How a process of an ordinary user, as the linker's wrapper is, has a record sent: it writes the
 * file <sessions>/<uid>/records/NAME, and the next `jobtrail-submit flush --sessions` takes it into
 * the outbox (submit/flush/sessions.h). Records of root's processes go into the outbox at once.
 * Hands a record in; nothing is sent from here. Returns 0; -ENOENT where [spool] sessions is empty
 * or not there; or -errno. */
int hand_in(const struct conf *conf, const struct record_view *record);
