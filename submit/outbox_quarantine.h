/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_OUTBOX_QUARANTINE_H
#define JOBTRAIL_OUTBOX_QUARANTINE_H

#include <stddef.h>

#include "conf.h"

/* Keeps what a transport cannot take as <state>/quarantine/outbox/TRANSPORT/NAME, with the reason
 * beside it in NAME.reason, both on the disk when this returns. Returns 0 or -errno. */
int outbox_quarantine(const struct conf *conf, const char *transport, const char *name,
                      const char *text, size_t length, const char *reason);

#endif
