/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ldwrap/link_uuid.h"

#include <ctype.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

static void print_uuid(const unsigned char *bytes, char *text)
{
    for (int i = 0; i < 16; i++) {
        const char *dash = i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "";
        text += sprintf(text, "%s%02x", dash, bytes[i]);
    }
}

static void set_version(unsigned char *bytes, int version)
{
    bytes[6] = (unsigned char)(version << 4 | (bytes[6] & 0x0f));
    bytes[8] = (unsigned char)(0x80 | (bytes[8] & 0x3f));
}

void link_uuid_new(uint64_t now_ms, char uuid[LINK_UUID_SIZE])
{
    unsigned char bytes[16] = {0};
    while (getrandom(bytes, sizeof bytes, 0) < 0)
        continue;
    for (int i = 0; i < 6; i++)
        bytes[i] = (unsigned char)(now_ms >> (40 - 8 * i));
    set_version(bytes, 7);
    print_uuid(bytes, uuid);
}

/* "ccXXXXXX.o", "ccXXXXXX.res", "ccXXXXXX.ltrans0.ltrans.o": gcc's. */
static bool is_temporary(const char *name)
{
    if (strncmp(name, "cc", 2) != 0)
        return false;
    for (int i = 2; i < 8; i++) {
        if (!isalnum((unsigned char)name[i]))
            return false;
    }
    return name[8] == '.';
}

static const char *place_independent(const char *argument)
{
    const char *name = basename(argument);
    return is_temporary(name) ? "" : name;
}

void link_uuid_reproducible(const char *source_date_epoch, const struct strings *arguments,
                            char uuid[LINK_UUID_SIZE])
{
    /* The namespace of our names: itself a random uuid. */
    static const unsigned char names_of_links[16] = {0x5d, 0x0f, 0x2b, 0x8e, 0x93, 0x6c,
                                                     0x4c, 0x1a, 0xa4, 0x77, 0x1e, 0xb9,
                                                     0x60, 0x3d, 0xc8, 0x52};
    unsigned char digest[EVP_MAX_MD_SIZE] = {0};
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (context != NULL && EVP_DigestInit_ex(context, EVP_sha1(), NULL) == 1) {
        EVP_DigestUpdate(context, names_of_links, sizeof names_of_links);
        EVP_DigestUpdate(context, source_date_epoch, strlen(source_date_epoch) + 1);
        for (size_t i = 1; i < arguments->count; i++) {
            const char *text = place_independent(arguments->item[i]);
            EVP_DigestUpdate(context, text, strlen(text) + 1);
        }
        EVP_DigestFinal_ex(context, digest, NULL);
    }
    EVP_MD_CTX_free(context);
    set_version(digest, 5);
    print_uuid(digest, uuid);
}
