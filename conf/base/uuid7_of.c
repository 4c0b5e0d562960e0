/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * By itself: programs that need only the rest of uuid7.h do not load libcrypto, which takes as long
 * as many a program takes for all else.
 */
#include <errno.h>
#include <openssl/evp.h>
#include <string.h>

#include "conf/base/uuid7.h"

int uuid7_of(uint64_t time_ns, const void *bytes, size_t size, uuid_t uuid)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    if (EVP_Digest(bytes, size, digest, NULL, EVP_sha256(), NULL) != 1)
        return -EIO;
    memcpy(uuid, digest, sizeof(uuid_t));
    uuid7_set(time_ns, uuid);
    return 0;
}
