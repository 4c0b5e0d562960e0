/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/read/load_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/clocks.h"
#include "conf/base/grow.h"

#define LINE_MAX_BYTES ((16u << 20) + 4096)
#define READ_BYTES     65536u
#define PATIENCE_MS    1000
#define LEFT_SECONDS   5
#define TURN_SECONDS   1 /* of one of several inputs that are followed */
#define FIRST_BYTES    256u
#define UNFINISHED_MAX (64u << 20) /* bytes of records that wait for a block */

struct load_stream {
    const char *path;
    int fd;
    struct stat facts;
    char *line; /* owned: `size` bytes of an unfinished line */
    size_t size, room;
    size_t number;  /* of the line, from 1 */
    size_t taken;   /* lines that were records or blocks, good or bad */
    bool skipping;  /* a line that is too long */
    bool begun;     /* something was read */
    bool ended;     /* a pipe, or what cannot be read */
    size_t trouble; /* set aside and not in the quarantine */
    double quiet;   /* monotonic: since when nothing has come */
    /* Of a file, as far as they were there when it was looked at last. */
    char first[FIRST_BYTES];
    size_t first_size;
};

/* ---- Opening and closing --------------------------------------------------------------------- */

/* A named pipe without waiting for somebody who writes. */
static int open_path(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd >= 0)
        fcntl(fd, F_SETFL, O_RDONLY);
    return fd;
}

int load_stream_open(const char *path, struct load_stream **out)
{
    struct load_stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL)
        return -ENOMEM;
    *stream = (struct load_stream){.path = path, .number = 1};
    stream->fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open_path(path);
    if (stream->fd < 0 || fstat(stream->fd, &stream->facts) != 0) {
        int error = -errno;
        load_stream_close(stream);
        return error;
    }
    *out = stream;
    return 0;
}

void load_stream_close(struct load_stream *stream)
{
    if (stream == NULL)
        return;
    if (stream->fd >= 0)
        close(stream->fd);
    free(stream->line);
    free(stream);
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static void origin_of(const struct load_stream *stream, char *text, size_t size)
{
    snprintf(text, size, "%s:%zu", stream->path, stream->number);
}

static void set_aside(struct load_stream *stream, struct loader *loader, const char *text,
                      size_t size, const char *reason)
{
    char origin[4200];
    origin_of(stream, origin, sizeof origin);
    loader_set_aside(loader, text, size, origin, reason);
}

static int take(struct load_stream *stream, struct loader *loader, char *text, size_t size,
                enum record_kind named)
{
    char origin[4200];
    if (text == NULL)
        return -ENOMEM;
    origin_of(stream, origin, sizeof origin);
    return loader_take(loader, text, size, named, origin);
}

static int take_block(struct load_stream *stream, struct loader *loader,
                      struct syslog_blocks *blocks)
{
    char *text = NULL;
    size_t size = 0;
    enum record_kind named;
    struct load_reason reason;
    char *line = strdup(stream->line); /* for the quarantine */
    int result =
        line == NULL ? -ENOMEM : syslog_blocks_add(blocks, line, &text, &size, &named, &reason);
    free(line);
    if (result == -EBADMSG)
        set_aside(stream, loader, stream->line, stream->size, reason.text);
    else if (result != 0)
        return result > 0 ? take(stream, loader, text, size, named) : result;
    load_stream_drain(loader, blocks, UNFINISHED_MAX);
    return 0;
}

/* "kind=KIND {...", as consumers of Kafka write the header and the message (kcat -f '%h %s\n').
 * Returns the record, or the line itself where it is none such. */
static const char *after_header(const char *line, enum record_kind *named)
{
    static const char header[] = "kind=";
    *named = RECORD_KINDS;
    if (strncmp(line, header, sizeof header - 1) != 0)
        return line;
    const char *word = line + sizeof header - 1;
    const char *text = word + strcspn(word, " \t");
    text += strspn(text, " \t");
    if (*text != '{')
        return line;
    *named = record_kind_of(word, strcspn(word, ", \t")); /* other headers may follow */
    return text;
}

static int take_json(struct load_stream *stream, struct loader *loader, const char *from,
                     enum record_kind named)
{
    size_t size = stream->size - (size_t)(from - stream->line);
    char *text = malloc(size + 1);
    if (text != NULL)
        memcpy(text, from, size + 1);
    return take(stream, loader, text, size, named);
}

static int take_line(struct load_stream *stream, struct loader *loader,
                     struct syslog_blocks *blocks)
{
    if (stream->size > 0 && stream->line[stream->size - 1] == '\r')
        stream->size--;
    stream->line[stream->size] = '\0';
    enum record_kind named;
    const char *text = after_header(stream->line, &named);
    /* Not after blanks: there a log has the next lines of a message. */
    bool is_json = text[0] == '{';
    if (!is_json && !syslog_blocks_is_one(stream->line))
        return 0;
    stream->taken++;
    if (!is_json && memchr(stream->line, '\0', stream->size) != NULL) {
        set_aside(stream, loader, stream->line, stream->size, "holds a NUL byte");
        return 0;
    }
    return is_json ? take_json(stream, loader, text, named) : take_block(stream, loader, blocks);
}

static int end_line(struct load_stream *stream, struct loader *loader, struct syslog_blocks *blocks)
{
    int error = 0;
    if (stream->skipping) {
        set_aside(stream, loader, stream->line, stream->size, "is a line that is too long");
        stream->taken++;
        stream->trouble++; /* its end is not kept */
    } else if (stream->size > 0) {
        error = take_line(stream, loader, blocks);
    }
    stream->skipping = false;
    stream->size = 0;
    stream->number++;
    return error;
}

/* More of the line; of one too long the beginning is kept. After a crash a file system may leave
 * NUL bytes for what was being written, as does a daemon whose log was cut; a line follows. */
static int add_to_line(struct load_stream *stream, const char *bytes, size_t size)
{
    for (; stream->size == 0 && size > 0 && *bytes == '\0'; size--)
        bytes++;
    if (stream->skipping || stream->size + size > LINE_MAX_BYTES) {
        stream->skipping = true;
        return 0;
    }
    if (GROW_TO(stream->line, stream->room, stream->size + size + 1) != 0)
        return -ENOMEM;
    memcpy(stream->line + stream->size, bytes, size);
    stream->size += size;
    return 0;
}

static int split_lines(struct load_stream *stream, struct loader *loader,
                       struct syslog_blocks *blocks, const char *bytes, size_t size)
{
    int error = 0;
    while (error == 0 && size > 0) {
        const char *newline = memchr(bytes, '\n', size);
        size_t length = newline == NULL ? size : (size_t)(newline - bytes);
        error = add_to_line(stream, bytes, length);
        if (error == 0 && newline != NULL) {
            error = end_line(stream, loader, blocks);
            length++;
        }
        bytes += length;
        size -= length;
    }
    return error;
}

/* ---- Streams --------------------------------------------------------------------------------- */

/* Of gzip, xz, zstd, lz4, compress(1) and bzip2; as text none of them begins a line of syslog. */
static bool is_compressed(const char *bytes, size_t size)
{
    static const char *const magics[] = {"\x1f\x8b",         "\xfd\x37zXZ", "\x28\xb5\x2f\xfd",
                                         "\x04\x22\x4d\x18", "\x1f\x9d",    "BZh"};
    for (size_t i = 0; i < sizeof magics / sizeof magics[0]; i++)
        if (size >= strlen(magics[i]) && memcmp(bytes, magics[i], strlen(magics[i])) == 0)
            return true;
    return false;
}

/* Up to `size` bytes, at least one; 0 at the end of what is there, after which a file that grew can
 * be read on. Returns -errno: -EPROTONOSUPPORT when it is compressed, -EAGAIN when a pipe has
 * nothing for a second, or at a signal. */
static ssize_t read_some(struct load_stream *stream, char *bytes, size_t size)
{
    struct pollfd readable = {.fd = stream->fd, .events = POLLIN};
    if (poll(&readable, 1, PATIENCE_MS) <= 0) /* below 0: a signal */
        return -EAGAIN;
    ssize_t got = read(stream->fd, bytes, size);
    if (got < 0)
        return errno == EINTR ? -EAGAIN : -errno;
    if (got > 0 && !stream->begun && is_compressed(bytes, (size_t)got))
        return -EPROTONOSUPPORT;
    stream->begun |= got > 0;
    return got;
}

static void report_damage(struct load_stream *stream, struct loader *loader, ssize_t error)
{
    loader->counts.damaged++;
    loader_report(loader, stream->path,
                  error == -EPROTONOSUPPORT
                      ? "is compressed; give it by a pipe: zcat FILE | jobtrail-load -"
                      : strerror((int)-error));
}

/* Set aside, and nowhere but in the inputs. */
static size_t not_kept(const struct loader *loader)
{
    return loader->counts.damaged - loader->counts.quarantined;
}

/* The store may refuse a record as late as when it is committed. */
static int commit_stream(struct load_stream *stream, struct loader *loader, size_t trouble_before)
{
    int error = loader_commit(loader);
    stream->trouble += not_kept(loader) - trouble_before;
    return error;
}

static bool is_same(const struct load_stream *stream, const struct stat *facts)
{
    return facts->st_dev == stream->facts.st_dev && facts->st_ino == stream->facts.st_ino;
}

int load_stream_read(struct load_stream *stream, struct loader *loader,
                     struct syslog_blocks *blocks, bool *more)
{
    size_t trouble = not_kept(loader);
    char bytes[READ_BYTES];
    double begun = clock_seconds(CLOCK_MONOTONIC);
    int error = 0;
    while (error == 0 && !stream->ended && !loader_stops(loader)) {
        /* What always has more shall not keep the loader from other inputs, and from committing. */
        if (loader->follows && clock_seconds(CLOCK_MONOTONIC) - begun > TURN_SECONDS)
            break;
        ssize_t got = read_some(stream, bytes, sizeof bytes);
        if (got == -EAGAIN && load_stream_is_file(stream))
            continue; /* a signal */
        if (got == -EAGAIN || (got == 0 && load_stream_is_file(stream)))
            break;
        if (loader->follows && load_stream_is_file(stream) && got < 0 && got != -EPROTONOSUPPORT) {
            loader_report_input(loader, stream->path, (int)-got);
            break;
        }
        if (got < 0)
            report_damage(stream, loader, got);
        if (got <= 0) {
            stream->ended = true;
            break;
        }
        *more = true;
        stream->quiet = clock_seconds(CLOCK_MONOTONIC);
        const off_t place = load_stream_is_file(stream) ? lseek(stream->fd, 0, SEEK_CUR) : -1;
        const off_t size = stream->facts.st_size;
        loader->progress.part = place < 0 || size == 0 ? -1 : (double)place / (double)size;
        error = split_lines(stream, loader, blocks, bytes, (size_t)got);
    }
    return error == 0 ? commit_stream(stream, loader, trouble) : error;
}

bool load_stream_is_rotated(struct load_stream *stream)
{
    struct stat now;
    stream->quiet = clock_seconds(CLOCK_MONOTONIC);
    return load_stream_is_file(stream) && strcmp(stream->path, "-") != 0 &&
           stat(stream->path, &now) == 0 && !is_same(stream, &now);
}

/* A daemon writes into the old file until somebody tells it of the new one. */
bool load_stream_is_quiet(const struct load_stream *stream)
{
    return clock_seconds(CLOCK_MONOTONIC) - stream->quiet > LEFT_SECONDS;
}

/* Whether it has been cut to nothing and filled again, as its first bytes tell. */
static bool begins_anew(struct load_stream *stream)
{
    char first[FIRST_BYTES];
    ssize_t size = pread(stream->fd, first, sizeof first, 0);
    if (size < (ssize_t)stream->first_size)
        return size >= 0;
    if (memcmp(first, stream->first, stream->first_size) != 0)
        return true;
    memcpy(stream->first, first, (size_t)size);
    stream->first_size = (size_t)size;
    return false;
}

bool load_stream_ended(struct load_stream *stream)
{
    struct stat here;
    if (!load_stream_is_file(stream))
        return stream->ended;
    return (fstat(stream->fd, &here) == 0 && here.st_size < lseek(stream->fd, 0, SEEK_CUR)) ||
           begins_anew(stream);
}

bool load_stream_is_file(const struct load_stream *stream)
{
    return S_ISREG(stream->facts.st_mode);
}

bool load_stream_waits(const struct load_stream *stream)
{
    return !stream->ended && !load_stream_is_file(stream);
}

bool load_stream_has_none(const struct load_stream *stream)
{
    return stream->taken == 0 && stream->number > 1;
}

int load_stream_finish(struct load_stream *stream, struct loader *loader,
                       struct syslog_blocks *blocks)
{
    size_t trouble = not_kept(loader);
    int error = stream->size > 0 ? end_line(stream, loader, blocks) : 0;
    return error == 0 ? commit_stream(stream, loader, trouble) : error;
}

/* Neither has another file come to its path since then, nor has it grown. One that has no record at
 * all was perhaps not meant. */
static bool may_go(const struct load_stream *stream)
{
    struct stat now;
    return stat(stream->path, &now) == 0 && (stream->taken > 0 || now.st_size == 0) &&
           is_same(stream, &now) && now.st_size == lseek(stream->fd, 0, SEEK_CUR);
}

void load_stream_remove(const struct load_stream *stream, struct loader *loader)
{
    if (!load_stream_is_file(stream) || strcmp(stream->path, "-") == 0 || stream->trouble > 0 ||
        !may_go(stream))
        return;
    if (unlink(stream->path) == 0)
        loader->counts.deleted++;
    else if (errno != ENOENT)
        loader_report(loader, stream->path, strerror(errno));
}

static void set_incomplete_aside(void *context, const char *lines, size_t size, const char *reason)
{
    struct loader *loader = context;
    loader->counts.incomplete++;
    loader_set_aside(loader, lines, size, "syslog record", reason);
}

void load_stream_drain(struct loader *loader, struct syslog_blocks *blocks, size_t keep_bytes)
{
    syslog_blocks_drain(blocks, keep_bytes, set_incomplete_aside, loader);
}
