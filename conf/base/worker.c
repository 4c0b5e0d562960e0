/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conf/base/clocks.h"
#include "conf/base/privileges.h"
#include "conf/base/process.h"

enum { PIPE_BYTES = 512 << 10, OUTLET_BYTES = 64 << 10 };

/* REAP_MS: a child that was killed may hang in a file system. LOOK_MS: how often the bounds of a
 * silent child are looked at. */
enum { REAP_MS = 5000, LOOK_MS = 250 };

enum { EXIT_BROKEN = 4 };

struct head {
    uint64_t unit;
    uint32_t size;
    uint32_t is_last;
};

struct worker_pipe {
    FILE *file;
    uint64_t patience_ms;
    uint64_t flushed_ms; /* when messages were sent last, CLOCK_MONOTONIC */
};

/* The parent's end of the pipe. */
struct worker_stream {
    const struct worker *worker;
    int fd;
    pid_t child;
    uint64_t deadline_ns, silent_ns; /* CLOCK_MONOTONIC: when the time, and when patience is over */
    uint64_t begun;                  /* as it was when it was looked at last */
    uint64_t own_ns;                 /* processor time of this process when the child was started */
    enum worker_outcome outcome;     /* why there is nothing more to be read */
    int error;                       /* -errno of reading; 0: none */
    bool ended;                      /* nobody writes to the pipe any more */
    char *message;                   /* owned */
    size_t room;                     /* bytes at `message` */
    size_t at, filled;               /* of what has been read and not been taken yet */
    char buffer[PIPE_BYTES / 2];
};

static int send_message(struct worker_pipe *pipe, struct head head, const struct iovec *parts,
                        size_t count)
{
    for (size_t i = 0; i < count; i++)
        head.size += (uint32_t)parts[i].iov_len;
    fwrite(&head, sizeof head, 1, pipe->file);
    for (size_t i = 0; i < count; i++)
        fwrite(parts[i].iov_base, parts[i].iov_len, 1, pipe->file);
    uint64_t now = clock_ms();
    if (head.is_last || now - pipe->flushed_ms >= pipe->patience_ms) {
        pipe->flushed_ms = now;
        fflush(pipe->file);
    }
    return ferror(pipe->file) ? -EPIPE : 0;
}

int worker_send(struct worker_pipe *pipe, uint64_t unit, const struct iovec *parts, size_t count)
{
    return send_message(pipe, (struct head){.unit = unit}, parts, count);
}

int worker_send_last(struct worker_pipe *pipe, const void *bytes, size_t size)
{
    const struct iovec part = {(void *)bytes, size};
    return send_message(pipe, (struct head){.is_last = 1}, &part, 1);
}

/* In the child: becomes the user. Returns whether it has. */
static bool become_user(const struct worker *worker, int fd, struct worker_pipe *pipe)
{
    static char buffer[OUTLET_BYTES];
    int keep[16] = {fd};
    size_t count = sizeof keep / sizeof keep[0] - 1;
    *pipe = (struct worker_pipe){
        .file = fdopen(fd, "w"), .patience_ms = worker->patience_ms, .flushed_ms = clock_ms()};
    if (pipe->file == NULL || setvbuf(pipe->file, buffer, _IOFBF, sizeof buffer) != 0 ||
        worker->keep_count > count)
        return false;
    if (worker->keep_count > 0)
        memcpy(keep + 1, worker->keep, worker->keep_count * sizeof *keep);
    return privileges_drop(worker->uid, worker->gid, keep, worker->keep_count + 1) == 0 &&
           privileges_limit_memory(worker->memory_bytes) == 0 &&
           sandbox_enter(worker->sandbox) == 0;
}

/* Tables of symbols may take 256 MiB. No more than privileges_drop() leaves. */
uint64_t worker_memory(uint64_t bytes)
{
    const uint64_t base = UINT64_C(512) << 20, most = UINT64_C(2) << 30;
    return bytes > (most - base) / 4 ? most : base + 4 * bytes;
}

static bool stop_reading(struct worker_stream *stream, enum worker_outcome outcome)
{
    stream->outcome = outcome;
    return false;
}

static void be_patient(struct worker_stream *stream)
{
    stream->silent_ns = clock_deadline(stream->worker->silence_ms);
}

/* A child that goes from one unit to the next is not silent; it may have nothing to send. */
static bool is_silent(struct worker_stream *stream)
{
    const uint64_t *begun = stream->worker->begun;
    uint64_t unit = begun == NULL ? 0 : __atomic_load_n(begun, __ATOMIC_RELAXED);
    if (unit != stream->begun)
        be_patient(stream);
    stream->begun = unit;
    return clock_left_ms(stream->silent_ns) == 0;
}

static bool is_late(struct worker_stream *stream)
{
    const struct worker *worker = stream->worker;
    if (stream->deadline_ns == 0 || clock_left_ms(stream->deadline_ns) > 0)
        return false;
    stream->deadline_ns = worker->more_time == NULL ? 0 : worker->more_time(worker->more_context);
    return stream->deadline_ns == 0;
}

static bool is_spent(const struct worker_stream *stream)
{
    const struct worker *worker = stream->worker;
    return worker->cpu_ns != 0 && cpu_time_own() - stream->own_ns + cpu_time_of(stream->child) +
                                          cpu_time_of(worker->helper) >=
                                      worker->cpu_ns;
}

/* Milliseconds until the bounds are to be looked at again. */
static int look_again_ms(const struct worker_stream *stream)
{
    unsigned left = stream->deadline_ns == 0 ? UINT_MAX : clock_left_ms(stream->deadline_ns);
    return left < LOOK_MS ? (int)left + 1 : LOOK_MS;
}

/* Waits for more. A child that sends a little all the time, as files of the user's can make it, has
 * no more time than others. Returns whether there is more. */
static bool fill_buffer(struct worker_stream *stream)
{
    struct pollfd ready = {.fd = stream->fd, .events = POLLIN};
    ssize_t got = -1;
    do {
        if (is_spent(stream))
            return stop_reading(stream, WORKER_SPENT);
        if (is_late(stream) || is_silent(stream))
            return stop_reading(stream, WORKER_LATE);
        errno = EINTR;
        if (poll(&ready, 1, look_again_ms(stream)) != 0)
            got = read(stream->fd, stream->buffer, sizeof stream->buffer);
    } while (got < 0 && errno == EINTR);
    stream->ended = got == 0;
    stream->error = got < 0 ? -errno : 0;
    if (got <= 0)
        return stop_reading(stream, WORKER_BROKEN);
    be_patient(stream);
    stream->at = 0;
    stream->filled = (size_t)got;
    return true;
}

static bool read_all(struct worker_stream *stream, void *bytes, size_t size)
{
    char *to = bytes;
    while (size > 0) {
        if (stream->at == stream->filled && !fill_buffer(stream))
            return false;
        size_t ready = stream->filled - stream->at;
        size_t taken = ready < size ? ready : size;
        memcpy(to, stream->buffer + stream->at, taken);
        stream->at += taken;
        to += taken;
        size -= taken;
    }
    return true;
}

/* Takes one message from the pipe. Returns whether another one is to be read. */
static bool take_message(struct worker_stream *stream)
{
    struct head head;
    if (!read_all(stream, &head, sizeof head))
        return false;
    if (head.size > WORKER_MESSAGE_MAX)
        return stop_reading(stream, WORKER_BROKEN);
    if (head.size >= stream->room) {
        char *larger = realloc(stream->message, 2u * head.size + 1);
        if (larger == NULL) {
            stream->error = -ENOMEM;
            return stop_reading(stream, WORKER_BROKEN);
        }
        stream->message = larger;
        stream->room = 2u * head.size + 1;
    }
    if (!read_all(stream, stream->message, head.size))
        return false;
    stream->message[head.size] = '\0';
    const struct worker_message message = {head.unit, stream->message, head.size, head.is_last};
    enum worker_answer answer = stream->worker->take(stream->worker->context, &message);
    if (answer != WORKER_GO_ON)
        return stop_reading(stream, answer == WORKER_ENOUGH ? WORKER_STOPPED : WORKER_BROKEN);
    return head.is_last ? stop_reading(stream, WORKER_DONE) : true;
}

static bool killed_by_others(int status)
{
    return WIFSIGNALED(status) && (WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGTERM ||
                                   WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGHUP);
}

/* Makes sure that the child ends. */
static void end_child(struct worker_stream *stream)
{
    int status = 0;
    bool ends_itself = stream->outcome == WORKER_DONE || stream->ended;
    if (!ends_itself)
        kill(stream->child, SIGKILL);
    if (!process_reap(stream->child, REAP_MS, &status)) {
        kill(stream->child, SIGKILL);
        if (ends_itself)
            stream->outcome = WORKER_LATE;
    } else if (ends_itself && killed_by_others(status)) {
        stream->outcome = WORKER_KILLED;
    } else if (stream->outcome == WORKER_DONE && status != 0) {
        stream->outcome = WORKER_BROKEN;
    }
}

int worker_run(const struct worker *worker, enum worker_outcome *outcome)
{
    int fds[2];
    struct worker_stream stream = {
        .worker = worker, .deadline_ns = worker->deadline_ns, .own_ns = cpu_time_own()};
    if (pipe(fds) != 0)
        return -errno;
    fcntl(fds[1], F_SETPIPE_SZ, PIPE_BYTES); /* fewer changes between the two; as it is otherwise */
    stream.fd = fds[0];
    stream.child = fork();
    if (stream.child == 0) {
        struct worker_pipe pipe;
        if (!become_user(worker, fds[1], &pipe))
            _exit(EXIT_BROKEN);
        int broken = worker->work(worker->context, &pipe);
        _exit(fflush(pipe.file) != 0 || broken != 0 ? EXIT_BROKEN : 0);
    }
    int error = stream.child < 0 ? -errno : 0;
    close(fds[1]);
    if (error == 0) {
        be_patient(&stream);
        while (take_message(&stream))
            ;
    }
    close(stream.fd);
    if (error != 0)
        return error;
    end_child(&stream);
    free(stream.message);
    if (stream.error == 0)
        *outcome = stream.outcome;
    return stream.error;
}
