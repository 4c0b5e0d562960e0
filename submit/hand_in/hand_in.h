/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How a process of an ordinary user, as the linker's wrapper is, has a record sent: it writes the
 * file <sessions>/<uid>/records/NAME, and the next `jobtrail-submit flush --sessions` takes it into
 * the outbox (submit/flush/sessions.h). Records of root's processes go into the outbox at once.
 */
#ifndef JOBTRAIL_HAND_IN_H
#define JOBTRAIL_HAND_IN_H

#include "submit/outbox/outbox.h"

/* Hands a record in; nothing is sent from here. Returns 0; -ENOENT where [spool] sessions is empty
 * or not there; or -errno. */
int hand_in(const struct conf *conf, const struct record_view *record);

#endif
