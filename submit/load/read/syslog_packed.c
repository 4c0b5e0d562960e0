/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/read/syslog_packed.h"

#include <errno.h>
#include <stdlib.h>

#include <openssl/evp.h>
#include <zlib.h>

/* Returns the number of bytes at `to`, which has room for three quarters of `size`; -1 when it is
 * no base64. */
static int decode_base64(const char *base64, size_t size, unsigned char *to)
{
    EVP_ENCODE_CTX *context = EVP_ENCODE_CTX_new();
    int length = 0, rest = 0, result = -1;
    if (context == NULL)
        return -1;
    EVP_DecodeInit(context);
    if (EVP_DecodeUpdate(context, to, &length, (const unsigned char *)base64, (int)size) >= 0 &&
        EVP_DecodeFinal(context, to + length, &rest) == 1)
        result = length + rest;
    EVP_ENCODE_CTX_free(context);
    return result;
}

/* Returns 0, -EBADMSG or -ENOMEM. */
static int inflate_all(z_stream *zlib, size_t limit, char **text, size_t *size)
{
    size_t room = 0;
    for (int status = Z_OK; status != Z_STREAM_END;) {
        if (zlib->total_out == room) {
            room = room == 0 ? 65536 : room * 2;
            char *larger = room > 2 * limit ? NULL : realloc(*text, room + 1);
            if (larger == NULL)
                return room > 2 * limit ? -EBADMSG : -ENOMEM;
            *text = larger;
        }
        zlib->next_out = (unsigned char *)*text + zlib->total_out;
        zlib->avail_out = (unsigned)(room - zlib->total_out);
        status = inflate(zlib, Z_NO_FLUSH);
        if ((status != Z_OK && status != Z_STREAM_END) || zlib->total_out > limit)
            return status == Z_MEM_ERROR ? -ENOMEM : -EBADMSG;
    }
    (*text)[zlib->total_out] = '\0';
    *size = zlib->total_out;
    return 0;
}

static int inflate_bytes(unsigned char *bytes, size_t size, size_t limit, char **text,
                         size_t *text_size)
{
    z_stream zlib = {.next_in = bytes, .avail_in = (unsigned)size};
    char *all = NULL;
    if (inflateInit(&zlib) != Z_OK)
        return -ENOMEM;
    int error = inflate_all(&zlib, limit, &all, text_size);
    inflateEnd(&zlib);
    if (error == 0)
        *text = all;
    else
        free(all);
    return error;
}

int syslog_unpack(const char *base64, size_t size, size_t limit, char **text, size_t *text_size,
                  struct load_reason *reason)
{
    unsigned char *bytes = malloc(size + 1);
    if (bytes == NULL)
        return -ENOMEM;
    int length = size > limit ? -1 : decode_base64(base64, size, bytes);
    int error = length < 0 ? -EBADMSG : 0;
    if (error == 0 && length > 0 && bytes[0] == '{') {
        bytes[length] = '\0';
        *text = (char *)bytes;
        *text_size = (size_t)length;
        return 0;
    }
    if (error == 0)
        error = inflate_bytes(bytes, (size_t)length, limit, text, text_size);
    free(bytes);
    return error == -EBADMSG
               ? load_refuse(reason, "is not the base64 of a record, nor of a compressed one")
               : error;
}
