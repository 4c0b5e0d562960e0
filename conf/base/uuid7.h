/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Uuids of version 7 (RFC 9562), which begin with a time: libuuid makes them from 2.41 on. All else
 * about uuids is libuuid's.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uuid/uuid.h>

/* Makes one of the time `time_ns`, in ns since the Epoch, to the millisecond, out of 16 bytes. */
void uuid7_set(uint64_t time_ns, uuid_t uuid);

/* One of the time `time_ns`, in ns since the Epoch, to the millisecond; the rest is random. */
void uuid7_random(uint64_t time_ns, uuid_t uuid);

/* The same, but the rest is of a hash of the `size` bytes at `bytes`: the same uuid whenever time
 * and bytes are the same. */
void uuid7_of(uint64_t time_ns, const void *bytes, size_t size, uuid_t uuid);

/* Whether `text`, which may be NULL, is a uuid as uuid_parse(3) takes it, and nothing else. */
bool uuid_is_text(const char *text);
