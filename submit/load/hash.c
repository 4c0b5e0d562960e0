/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hash.h"

#include <errno.h>

#include <openssl/evp.h>

int hash_sha1(const void *data, size_t size, char hex[HASH_HEX_SIZE])
{
    static const char digit[] = "0123456789abcdef";
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned length;
    if (EVP_Digest(data, size, digest, &length, EVP_sha1(), NULL) != 1 ||
        2 * length + 1 != HASH_HEX_SIZE)
        return -ENOTSUP;
    for (unsigned i = 0; i < length; i++) {
        hex[2 * i] = digit[digest[i] >> 4];
        hex[2 * i + 1] = digit[digest[i] & 0xf];
    }
    hex[2 * length] = '\0';
    return 0;
}
