/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The hash by which stacks are put in order, the same in every process: that of Vftrace
 * (src/hashing.c), of a text as "foo<bar<main<init".
 */
#ifndef JOBTRAIL_STACK_HASH_H
#define JOBTRAIL_STACK_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Jenkins's one-at-a-time hash in the upper half, MurmurHash3 of 32 bits in the lower one. */
uint64_t stack_hash(const char *text, size_t size);

#endif
