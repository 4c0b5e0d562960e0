/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_UUID_H
#define JOBTRAIL_UUID_H

#include <stdint.h>

/* Makes a version 7 UUID (RFC 9562, 5.7) for the time `now_ns` since the Epoch, from the 16 bytes
 * at `random`, which the kernel has given to this program alone (image.random), and which cannot be
 * told from the UUID. NULL: from getrandom(2). Where there are no random bytes either, the UUIDs of
 * processes differ by `salt`. Returns 64 random bits that are not in the UUID. */
uint64_t uuid_make(const unsigned char *random, uint64_t now_ns, uint64_t salt, uint8_t uuid[16]);

#endif
