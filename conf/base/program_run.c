/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/program_run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/clocks.h"
#include "conf/base/process.h"

/* LOOK_MS: so often `take` may end a program that prints nothing. */
enum { BUFFER_BYTES = 16 << 10, END_MS = 1000, LOOK_MS = 200 };

/* Bytes that a program has written to one of its descriptors. */
struct program_output {
    int fd; /* -1: at its end */
    char *text;
    size_t size, room;
    int (*take)(void *context, const char *bytes, size_t size); /* NULL: they are kept */
    void *context;
};

/* Makes room for `more` bytes and a NUL. */
static int stream_grow(struct program_output *stream, size_t more)
{
    size_t need = stream->size + more + 1, room = stream->room == 0 ? BUFFER_BYTES : stream->room;
    while (room < need)
        room *= 2;
    char *larger = room == stream->room ? stream->text : realloc(stream->text, room);
    if (larger == NULL)
        return -ENOMEM;
    stream->text = larger;
    stream->room = room;
    return 0;
}

/* Of a stream that is too long the first bytes are kept. */
static int stream_read(struct program_output *stream)
{
    char bytes[BUFFER_BYTES];
    ssize_t got = read(stream->fd, bytes, sizeof bytes);
    if (got < 0)
        return errno == EINTR || errno == EAGAIN ? 0 : -errno;
    if (got == 0) {
        close(stream->fd);
        stream->fd = -1;
    }
    if (stream->take != NULL)
        return got == 0 ? 0 : stream->take(stream->context, bytes, (size_t)got);
    size_t size = (size_t)got;
    if (size > PROGRAM_TEXT_MAX - stream->size)
        size = PROGRAM_TEXT_MAX - stream->size;
    int error = stream_grow(stream, size);
    if (error != 0)
        return error;
    memcpy(stream->text + stream->size, bytes, size);
    stream->size += size;
    stream->text[stream->size] = '\0';
    return 0;
}

/* Until both are at their ends. */
static int streams_read(struct program_output streams[2], uint64_t end_ms)
{
    int error = 0;
    while (error == 0 && (streams[0].fd >= 0 || streams[1].fd >= 0)) {
        struct pollfd polled[2] = {{streams[0].fd, POLLIN, 0}, {streams[1].fd, POLLIN, 0}};
        uint64_t now = clock_ms();
        uint64_t left = now >= end_ms ? 0 : end_ms - now;
        if (left == 0)
            return -ETIMEDOUT;
        int ready = poll(polled, 2, (int)(left < LOOK_MS ? left : LOOK_MS));
        if (ready < 0 && errno != EINTR)
            return -errno;
        if (ready <= 0 && streams[0].take != NULL)
            error = streams[0].take(streams[0].context, "", 0);
        for (size_t i = 0; ready > 0 && i < 2 && error == 0; i++)
            if (polled[i].revents != 0)
                error = stream_read(&streams[i]);
    }
    return error;
}

static void last_line(const struct program_output *stream, char *line, size_t size)
{
    size_t end = stream->size, at = 0;
    while (end > 0 && stream->text[end - 1] == '\n')
        end--;
    size_t from = end;
    while (from > 0 && stream->text[from - 1] != '\n')
        from--;
    for (; from < end && at + 1 < size; from++)
        line[at++] =
            stream->text[from] < ' ' || stream->text[from] > '~' ? '?' : stream->text[from];
    line[at] = '\0';
}

static int program_start(const char *const argv[], char *const environment[], const int out[2],
                         const int complaint[2], pid_t *pid)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, out[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, complaint[1], STDERR_FILENO);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF);
    int error = posix_spawnp(pid, argv[0], &files, &attributes, (char *const *)(uintptr_t)argv,
                             environment == NULL ? environ : environment);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    return -error;
}

int program_run_taking(const char *const argv[], char *const environment[], unsigned timeout_ms,
                       int (*take)(void *context, const char *bytes, size_t size), void *context,
                       struct program_result *result)
{
    int out[2] = {-1, -1}, complaint[2] = {-1, -1};
    pid_t pid = -1;
    uint64_t end_ms = clock_ms() + timeout_ms;
    int error = pipe2(out, O_CLOEXEC) != 0 || pipe2(complaint, O_CLOEXEC) != 0 ? -errno : 0;
    if (error == 0)
        error = program_start(argv, environment, out, complaint, &pid);
    cleanup_close(&out[1]);
    cleanup_close(&complaint[1]);
    struct program_output streams[2] = {{.fd = out[0], .take = take, .context = context},
                                        {.fd = complaint[0]}};
    struct program_result found = {.size = 0};
    if (error == 0) {
        error = streams_read(streams, end_ms);
        uint64_t now = clock_ms();
        int left_ms = now < end_ms && error == 0 ? (int)(end_ms - now) : 0;
        if (!process_reap(pid, left_ms, &found.status)) {
            kill(-pid, SIGKILL);
            process_reap(pid, END_MS, &found.status);
            error = error == 0 ? -ETIMEDOUT : error;
        }
    }
    last_line(&streams[1], found.complaint, sizeof found.complaint);
    cleanup_close(&streams[0].fd);
    cleanup_close(&streams[1].fd);
    free(streams[1].text);
    found.text = streams[0].text;
    found.size = streams[0].size;
    if (error == 0)
        *result = found;
    else
        free(found.text);
    return error;
}

int program_run(const char *const argv[], char *const environment[], unsigned timeout_ms,
                struct program_result *result)
{
    return program_run_taking(argv, environment, timeout_ms, NULL, NULL, result);
}

void program_result_free(struct program_result *result)
{
    free(result->text);
    result->text = NULL;
}

/* ---- Where this program is ------------------------------------------------------------------- */

bool program_place(const char *from_program, char *path, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", path, size - 1);
    path[length < 0 ? 0 : length] = '\0';
    char *slash = strrchr(path, '/');
    size_t room = slash == NULL ? 0 : size - (size_t)(slash + 1 - path),
           more = strlen(from_program);
    if (more >= room)
        return false;
    memcpy(slash + 1, from_program, more + 1);
    return true;
}
