/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a transport cannot take: <state>/quarantine/outbox/TRANSPORT/NAME, with the reason beside it
 * in NAME.reason. There may be as many bytes of it for each transport as [outbox] size says; what
 * comes then is dropped, and counted in OVERFLOW_NAME (quarantine.h).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "conf/conf.h"

struct outbox_quarantine;

/* Of this transport; nothing is opened before something is kept. One at a time may be in use for a
 * transport on a node. Returns NULL when out of memory; outbox_quarantine_close() releases. */
struct outbox_quarantine *outbox_quarantine_new(const struct conf *conf, const char *transport);

/* Keeps a text, with a newline, and the reason. Both are on the disk when this returns. Returns 0,
 * also where there is no room and it is counted; or -errno. */
int outbox_quarantine_keep(struct outbox_quarantine *quarantine, const char *name, const char *text,
                           size_t length, const char *reason);

/* The same of a file in the directory `from`, which it leaves. */
int outbox_quarantine_move(struct outbox_quarantine *quarantine, int from, const char *name,
                           const char *reason);

/* How much of what was to be kept found no room. */
uint64_t outbox_quarantine_overflowed(const struct outbox_quarantine *quarantine);

void outbox_quarantine_close(struct outbox_quarantine *quarantine);

/* How much has found no room for this transport so far. */
uint64_t outbox_quarantine_overflow_read(const struct conf *conf, const char *transport);
