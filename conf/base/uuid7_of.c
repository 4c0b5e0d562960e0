/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * By itself: programs that need only the rest of uuid7.h do not load libnettle.
 */
#include <nettle/sha2.h>
#include <string.h>

#include "conf/base/uuid7.h"

void uuid7_of(uint64_t time_ns, const void *bytes, size_t size, uuid_t uuid)
{
    struct sha256_ctx context;
    sha256_init(&context);
    sha256_update(&context, size, bytes);
    sha256_digest(&context, sizeof(uuid_t), uuid);
    uuid7_set(time_ns, uuid);
}
