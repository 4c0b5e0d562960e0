/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How the linker's wrapper, which runs as an ordinary user, gets a link's record on its way: as a
 * file <sessions>/<uid>/records/NAME, which the next `jobtrail-submit flush --sessions` takes into
 * the outbox (hand_in_collect.h). Root's records go there at once.
 */
#ifndef JOBTRAIL_HAND_IN_H
#define JOBTRAIL_HAND_IN_H

#include "submit/outbox/outbox.h"

/* Hands a record in; nothing is sent from here. Returns 0; -ENOENT where [spool] sessions is empty
 * or not there; or -errno. */
int hand_in(const struct conf *conf, const struct record_view *record);

#endif
