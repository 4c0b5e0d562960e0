/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Records as XALT's interface versions 1 and 2 have them in syslog lines: base64 of zlib's format,
 * or of the JSON itself.
 */
#ifndef JOBTRAIL_SYSLOG_PACKED_H
#define JOBTRAIL_SYSLOG_PACKED_H

#include <stddef.h>

#include "submit/load/parse/load_reason.h"

/* The text of `size` bytes of base64, in which blanks do not count, NUL-terminated and malloc'ed,
 * at the most `limit` bytes. Returns 0; -EBADMSG and `*reason`; -ENOMEM. */
int syslog_unpack(const char *base64, size_t size, size_t limit, char **text, size_t *text_size,
                  struct load_reason *reason);

#endif
