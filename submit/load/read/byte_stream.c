/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/read/byte_stream.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <lzma.h>
#include <zlib.h>

#define IN_BYTES      65536u
#define XZ_MEMORY     (128u << 20)
#define PATIENCE_MS   1000
#define GZIP_OF_ZLIB  (16 + MAX_WBITS)
#define LONGEST_MAGIC 6u

enum form { UNKNOWN, PLAIN, GZIP, XZ, FOREIGN };

struct byte_stream {
    int fd;
    enum form form;
    bool at_end;  /* of the file */
    bool between; /* two gzip members, or before the first */
    z_stream gzip;
    lzma_stream xz;
    unsigned char in[IN_BYTES];
    size_t from, to; /* what is in `in` */
};

struct byte_stream *byte_stream_new(int fd)
{
    struct byte_stream *stream = calloc(1, sizeof *stream);
    if (stream != NULL)
        stream->fd = fd;
    return stream;
}

/* Reads more of the file, to the end of what is in the buffer. */
static ssize_t fill_buffer(struct byte_stream *stream)
{
    struct pollfd readable = {.fd = stream->fd, .events = POLLIN};
    if (stream->from == stream->to)
        stream->from = stream->to = 0;
    if (poll(&readable, 1, PATIENCE_MS) <= 0) /* below 0: a signal */
        return -EAGAIN;
    ssize_t got = read(stream->fd, stream->in + stream->to, IN_BYTES - stream->to);
    if (got < 0)
        return errno == EINTR ? -EAGAIN : -errno;
    stream->at_end = got == 0;
    stream->to += (size_t)got;
    return got;
}

/* Of RFC 1952, the .xz format, RFC 8878, the LZ4 frame format, compress(1) and bzip2(1); as text
 * none of them begins a line of syslog. */
static enum form form_of(const unsigned char *bytes, size_t size)
{
    static const struct {
        enum form form;
        size_t size;
        const char *bytes;
    } magics[] = {
        {GZIP, 2, "\x1f\x8b"},
        {XZ, 6, "\xfd\x37zXZ"},
        {FOREIGN, 4, "\x28\xb5\x2f\xfd"},
        {FOREIGN, 4, "\x04\x22\x4d\x18"},
        {FOREIGN, 2, "\x1f\x9d"},
        {FOREIGN, 3, "BZh"},
    };
    for (size_t i = 0; i < sizeof magics / sizeof magics[0]; i++)
        if (size >= magics[i].size && memcmp(bytes, magics[i].bytes, magics[i].size) == 0)
            return magics[i].form;
    return PLAIN;
}

static int begin_form(struct byte_stream *stream)
{
    stream->at_end = false; /* one that was empty may have grown */
    while (stream->to < LONGEST_MAGIC && !stream->at_end) {
        ssize_t got = fill_buffer(stream);
        if (got < 0)
            return (int)got;
    }
    if (stream->to == 0)
        return 0; /* may grow */
    stream->form = form_of(stream->in, stream->to);
    stream->between = true;
    if (stream->form == GZIP && inflateInit2(&stream->gzip, GZIP_OF_ZLIB) != Z_OK)
        return -ENOMEM;
    if (stream->form == XZ &&
        lzma_stream_decoder(&stream->xz, XZ_MEMORY, LZMA_CONCATENATED) != LZMA_OK)
        return -ENOMEM;
    return 0;
}

static ssize_t read_plain(struct byte_stream *stream, char *bytes, size_t size)
{
    if (stream->from == stream->to) {
        ssize_t got = fill_buffer(stream);
        if (got <= 0)
            return got;
    }
    size_t left = stream->to - stream->from;
    size_t taken = left < size ? left : size;
    memcpy(bytes, stream->in + stream->from, taken);
    stream->from += taken;
    return (ssize_t)taken;
}

/* Makes some output; 0 when more input is needed. */
static ssize_t inflate_some(struct byte_stream *stream, char *bytes, size_t size)
{
    z_stream *gzip = &stream->gzip;
    gzip->next_in = stream->in + stream->from;
    gzip->avail_in = (unsigned)(stream->to - stream->from);
    gzip->next_out = (unsigned char *)bytes;
    gzip->avail_out = (unsigned)size;
    int code = inflate(gzip, Z_NO_FLUSH);
    if (code == Z_STREAM_END || gzip->next_in > stream->in + stream->from)
        stream->between = code == Z_STREAM_END;
    stream->from = stream->to - gzip->avail_in;
    if (code == Z_STREAM_END)
        inflateReset(gzip);
    else if (code != Z_OK && code != Z_BUF_ERROR)
        return -EBADMSG;
    return (ssize_t)(size - gzip->avail_out);
}

static ssize_t decode_some(struct byte_stream *stream, char *bytes, size_t size)
{
    lzma_stream *xz = &stream->xz;
    xz->next_in = stream->in + stream->from;
    xz->avail_in = stream->to - stream->from;
    xz->next_out = (uint8_t *)bytes;
    xz->avail_out = size;
    lzma_ret code = lzma_code(xz, stream->at_end ? LZMA_FINISH : LZMA_RUN);
    if (code == LZMA_STREAM_END || xz->next_in > stream->in + stream->from)
        stream->between = code == LZMA_STREAM_END;
    stream->from = stream->to - xz->avail_in;
    if (code != LZMA_OK && code != LZMA_STREAM_END && code != LZMA_BUF_ERROR)
        return -EBADMSG;
    return (ssize_t)(size - xz->avail_out);
}

static ssize_t read_compressed(struct byte_stream *stream, char *bytes, size_t size)
{
    for (;;) {
        ssize_t made = stream->form == GZIP ? inflate_some(stream, bytes, size)
                                            : decode_some(stream, bytes, size);
        if (made != 0)
            return made;
        if (stream->at_end && stream->from == stream->to)
            return stream->between ? 0 : -ENODATA;
        ssize_t got = stream->from == stream->to ? fill_buffer(stream) : 1;
        if (got < 0)
            return got;
    }
}

ssize_t byte_stream_read(struct byte_stream *stream, char *bytes, size_t size)
{
    int error = stream->form == UNKNOWN ? begin_form(stream) : 0;
    if (error != 0 || stream->form == UNKNOWN)
        return error;
    if (stream->form == FOREIGN)
        return -EPROTONOSUPPORT;
    return stream->form == PLAIN ? read_plain(stream, bytes, size)
                                 : read_compressed(stream, bytes, size);
}

void byte_stream_free(struct byte_stream *stream)
{
    if (stream == NULL)
        return;
    if (stream->form == GZIP)
        inflateEnd(&stream->gzip);
    if (stream->form == XZ)
        lzma_end(&stream->xz);
    free(stream);
}
