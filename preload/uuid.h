/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_UUID_H
#define JOBTRAIL_UUID_H

#include <stdint.h>

/* Makes a version 7 UUID (RFC 9562, 5.7) for the time `now_ns` since the Epoch. Where the kernel
 * gives no random bytes, the UUIDs of processes differ by `salt`. Returns 64 random bits that are
 * not in the UUID. */
uint64_t uuid_make(uint64_t now_ns, uint64_t salt, uint8_t uuid[16]);

#endif
