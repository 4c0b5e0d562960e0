/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SHA-1 as a key under which equal things are stored once; nothing here relies on it for security.
 */
#ifndef JOBTRAIL_HASH_H
#define JOBTRAIL_HASH_H

#include <stddef.h>

#define HASH_HEX_SIZE 41u

/* The digest of `size` bytes at `data` as 40 lower-case hex digits and a NUL. Returns 0; -ENOTSUP
 * when the host's crypto policy has no SHA-1. */
int hash_sha1(const void *data, size_t size, char hex[HASH_HEX_SIZE]);

#endif
