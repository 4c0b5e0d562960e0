/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/uuid7.h"

#include <errno.h>
#include <openssl/evp.h>
#include <string.h>

static void uuid7_set(uint64_t time_ns, uuid_t uuid)
{
    const uint64_t ms = time_ns / 1000000u;
    for (int i = 0; i < 6; i++)
        uuid[i] = (uint8_t)(ms >> (40 - 8 * i));
    uuid[6] = (uint8_t)((uuid[6] & 0x0f) | 0x70);
    uuid[8] = (uint8_t)((uuid[8] & 0x3f) | 0x80);
}

void uuid7_random(uint64_t time_ns, uuid_t uuid)
{
    uuid_generate_random(uuid);
    uuid7_set(time_ns, uuid);
}

int uuid7_of(uint64_t time_ns, const void *bytes, size_t size, uuid_t uuid)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    if (EVP_Digest(bytes, size, digest, NULL, EVP_sha256(), NULL) != 1)
        return -EIO;
    memcpy(uuid, digest, sizeof(uuid_t));
    uuid7_set(time_ns, uuid);
    return 0;
}

bool uuid_is_text(const char *text)
{
    uuid_t uuid;
    return text != NULL && uuid_parse(text, uuid) == 0;
}
