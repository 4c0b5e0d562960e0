/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The check sum that a record carries about itself, {"crc":"0x29B1", ...: the CRC of its text with
 * 0xFFFF in the place of the value, without a newline after the closing brace.
 */
#pragma once

#include <stddef.h>

#include "submit/load/parse/load_reason.h"

/* Returns 0 when the `size` bytes at `text` agree with their check sum or do not begin with one, as
 * XALT's and jobtrail's files do; -EBADMSG with `*reason` when they contradict it. */
int record_crc_check(const char *text, size_t size, struct load_reason *reason);
