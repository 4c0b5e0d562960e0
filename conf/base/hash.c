/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/hash.h"

#include <errno.h>
#include <string.h>

#include <openssl/evp.h>

/* One for each thread: looking SHA-1 up costs more than most digests here. */
static _Thread_local EVP_MD_CTX *context;

static EVP_MD_CTX *sha1_context(void)
{
    if (context == NULL)
        context = EVP_MD_CTX_new();
    if (context == NULL)
        return NULL;
    const EVP_MD *known = EVP_MD_CTX_get0_md(context);
    return EVP_DigestInit_ex2(context, known == NULL ? EVP_sha1() : NULL, NULL) == 1 ? context
                                                                                     : NULL;
}

/* Small pieces are joined first: a call of the library costs more than copying them. */
struct gathering {
    EVP_MD_CTX *context;
    unsigned char bytes[1024];
    size_t size;
    bool failed;
};

static void gathering_flush(struct gathering *gathering)
{
    if (gathering->size > 0 &&
        EVP_DigestUpdate(gathering->context, gathering->bytes, gathering->size) != 1)
        gathering->failed = true;
    gathering->size = 0;
}

static void gathering_add(struct gathering *gathering, const void *piece, size_t size)
{
    if (size > sizeof gathering->bytes - gathering->size)
        gathering_flush(gathering);
    if (size > sizeof gathering->bytes) {
        gathering->failed |= EVP_DigestUpdate(gathering->context, piece, size) != 1;
        return;
    }
    memcpy(gathering->bytes + gathering->size, piece, size);
    gathering->size += size;
}

int hash_pieces(const void *const *pieces, const size_t *sizes, size_t count, struct digest *digest)
{
    struct gathering gathering;
    gathering.context = sha1_context();
    gathering.size = 0;
    gathering.failed = false;
    if (gathering.context == NULL)
        return -ENOTSUP;
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            gathering_add(&gathering, "", 1);
        gathering_add(&gathering, pieces[i], sizes[i]);
    }
    gathering_flush(&gathering);
    return !gathering.failed && EVP_DigestFinal_ex(gathering.context, digest->bytes, NULL) == 1
               ? 0
               : -ENOTSUP;
}

void hash_end_thread(void)
{
    EVP_MD_CTX_free(context);
    context = NULL;
}

int hash_bytes(const void *data, size_t size, struct digest *digest)
{
    return hash_pieces(&data, &size, 1, digest);
}

bool hash_from_hex(const char *hex, struct digest *digest)
{
    static const char digits[] = "0123456789abcdef";
    if (strlen(hex) != 2 * sizeof digest->bytes || strspn(hex, digits) != strlen(hex))
        return false;
    for (size_t i = 0; i < sizeof digest->bytes; i++)
        digest->bytes[i] = (unsigned char)((strchr(digits, hex[2 * i]) - digits) * 16 +
                                           (strchr(digits, hex[2 * i + 1]) - digits));
    return true;
}
