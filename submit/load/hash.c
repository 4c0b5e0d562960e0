/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hash.h"

#include <errno.h>

#include <openssl/evp.h>

/* Looked up once for the whole program, since a look-up costs more than most digests here. */
static EVP_MD_CTX *sha1_context(void)
{
    static EVP_MD_CTX *context;
    if (context == NULL)
        context = EVP_MD_CTX_new();
    if (context == NULL)
        return NULL;
    const EVP_MD *known = EVP_MD_CTX_get0_md(context);
    return EVP_DigestInit_ex2(context, known == NULL ? EVP_sha1() : NULL, NULL) == 1 ? context
                                                                                     : NULL;
}

int hash_pieces(const void *const *pieces, const size_t *sizes, size_t count, struct digest *digest)
{
    EVP_MD_CTX *context = sha1_context();
    if (context == NULL)
        return -ENOTSUP;
    for (size_t i = 0; i < count; i++) {
        if ((i > 0 && EVP_DigestUpdate(context, "", 1) != 1) ||
            EVP_DigestUpdate(context, pieces[i], sizes[i]) != 1)
            return -ENOTSUP;
    }
    return EVP_DigestFinal_ex(context, digest->bytes, NULL) == 1 ? 0 : -ENOTSUP;
}

int hash_bytes(const void *data, size_t size, struct digest *digest)
{
    return hash_pieces(&data, &size, 1, digest);
}

void hash_hex(const struct digest *digest, char hex[HASH_HEX_SIZE])
{
    static const char digit[] = "0123456789abcdef";
    for (size_t i = 0; i < sizeof digest->bytes; i++) {
        hex[2 * i] = digit[digest->bytes[i] >> 4];
        hex[2 * i + 1] = digit[digest->bytes[i] & 0xf];
    }
    hex[HASH_HEX_SIZE - 1] = '\0';
}
