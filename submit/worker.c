/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * On the pipe from the child to the parent: for each record a head with the lengths of its name
 * and its text, the name, the text; at the end a head of two zeros and the summary. Without the
 * summary the child broke down. Whatever it sends, the parent believes no length beyond the
 * limits and no name that leads out of a directory.
 */
#include "worker.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ending.h"
#include "io.h"
#include "ledger_read.h"
#include "package_send.h"
#include "privileges.h"
#include "run_record.h"
#include "sampling_read.h"

enum { TEXT_MAX = 16 << 20 };

/* How long the child may be silent: it looks at files of the user's, on file systems that may be
 * the user's too, and hang; and the user may stop it. The watcher has other jobs to look at. */
enum { SILENCE_MS = 600000, SILENCE_STARTS_MS = 5000 };

/* The child's exit status where the ledger is none; any other but 0 is a breakdown. */
enum { EXIT_NO_LEDGER = 3, EXIT_BROKEN = 4 };

struct head {
    uint32_t name_length;
    uint32_t text_length;
};

/* The parent's end of the pipe. */
struct stream {
    int fd;
    int silence_ms;
};

static int read_all(const struct stream *stream, void *bytes, size_t size)
{
    char *at = bytes;
    while (size > 0) {
        struct pollfd ready = {.fd = stream->fd, .events = POLLIN};
        if (poll(&ready, 1, stream->silence_ms) == 0)
            return -ETIMEDOUT;
        ssize_t got = read(stream->fd, at, size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -errno;
        if (got == 0)
            return -EPROTO;
        at += got;
        size -= (size_t)got;
    }
    return 0;
}

static int hand_over(int fd, const struct record *record)
{
    struct head head = {(uint32_t)strlen(record->name), (uint32_t)record->length};
    int result = io_write_all(fd, &head, sizeof head);
    if (result == 0)
        result = io_write_all(fd, record->name, head.name_length);
    if (result == 0)
        result = io_write_all(fd, record->text, head.text_length);
    return result;
}

static int build_and_hand_over(const struct run_source *source, int fd)
{
    struct record record;
    int result = run_record_build(source, &record);
    if (result == 0) {
        result = hand_over(fd, &record);
        record_free(&record);
    }
    return result;
}

static int give(void *context, const struct record *record)
{
    return hand_over(*(const int *)context, record);
}

static int hand_over_starts(const struct worker_order *order, const struct captures *captures,
                            int fd, struct worker_summary *summary)
{
    for (size_t i = 0; i < captures->count; i++) {
        const struct capture *capture = &captures->capture[i];
        const struct run_source source = {
            .conf = order->conf, .journal = order->journal, .capture = capture, .probability = 1};
        char uuid[RECORD_UUID_SIZE];
        run_record_uuid(capture, uuid);
        if (!capture->wants_start || capture->end_ns != 0 || strstr(order->started, uuid) != NULL)
            continue;
        int result = build_and_hand_over(&source, fd);
        if (result != 0)
            return result;
        summary->records++;
    }
    return 0;
}

static int hand_over_each_end(const struct worker_order *order, const struct captures *captures,
                              const struct ending *endings, const struct packages *packages,
                              const struct package_send *send, struct worker_summary *summary)
{
    int fd = *(const int *)send->context;
    for (size_t i = 0; i < captures->count; i++) {
        const struct package_run run = packages_of_run(packages, captures->capture[i].uuid);
        struct run_source source = {.conf = order->conf,
                                    .journal = order->journal,
                                    .capture = &captures->capture[i],
                                    .ending = &endings[i],
                                    .packages = &run,
                                    .dropped = captures->dropped};
        if (!sampling_keeps(order->conf, source.capture, source.ending, &source.probability)) {
            summary->sampled_out++;
            continue;
        }
        int result = build_and_hand_over(&source, fd);
        if (result == 0 && source.capture->pkgs)
            result = package_send(send, source.capture, &run, &summary->packages);
        if (result != 0)
            return result;
        summary->records++;
        summary->unhooked += source.capture->pkgs && !run.hooked;
    }
    return 0;
}

static int hand_over_ends(const struct worker_order *order, const struct captures *captures, int fd,
                          struct worker_summary *summary)
{
    struct ending *endings = calloc(captures->count + 1, sizeof *endings);
    struct packages packages = {0};
    const struct package_send send = {.conf = order->conf,
                                      .journal = order->journal,
                                      .policy = order->policy,
                                      .versions = package_versions_new(),
                                      .give = give,
                                      .context = &fd};
    int result = endings == NULL || send.versions == NULL ? -ENOMEM : 0;
    if (result == 0)
        result = endings_find(captures, order->journal, order->now_ns, endings);
    if (result == 0 && order->packages >= 0 && packages_read(order->packages, &packages) != 0)
        packages.bad_lines = 1; /* the runs have their records nevertheless */
    if (result == 0)
        result = hand_over_each_end(order, captures, endings, &packages, &send, summary);
    summary->bad_lines = packages.bad_lines;
    packages_free(&packages);
    package_versions_free(send.versions);
    free(endings);
    return result;
}

static int work(const struct worker_order *order, int fd)
{
    const struct head last = {0, 0};
    struct captures captures;
    if (privileges_drop(order->journal->uid, order->journal->gid) != 0)
        return EXIT_BROKEN;
    int result = ledger_read(order->ledger, &captures);
    if (result != 0)
        return result == -EINVAL ? EXIT_NO_LEDGER : EXIT_BROKEN;
    struct worker_summary summary = {.damaged = captures.damaged, .dropped = captures.dropped};
    result = order->kind == WORKER_STARTS ? hand_over_starts(order, &captures, fd, &summary)
                                          : hand_over_ends(order, &captures, fd, &summary);
    if (result == 0)
        result = io_write_all(fd, &last, sizeof last);
    if (result == 0)
        result = io_write_all(fd, &summary, sizeof summary);
    captures_free(&captures);
    return result == 0 ? 0 : EXIT_BROKEN;
}

static int sound_name(const char *name, size_t length)
{
    return length > 0 && name[0] != '.' && memchr(name, '/', length) == NULL &&
           memchr(name, '\0', length) == NULL;
}

/* Takes one record from the pipe. Returns 1, 0 at the end, or -errno. */
static int take_one(const struct stream *stream, worker_take *take, void *context)
{
    struct head head;
    char name[RECORD_NAME_MAX];
    int result = read_all(stream, &head, sizeof head);
    if (result != 0)
        return result;
    if (head.name_length == 0 && head.text_length == 0)
        return 0;
    if (head.name_length >= sizeof name || head.text_length > TEXT_MAX)
        return -EPROTO;
    char *text = malloc(head.text_length + 1u);
    if (text == NULL)
        return -ENOMEM;
    result = read_all(stream, name, head.name_length);
    name[head.name_length] = '\0';
    if (result == 0 && !sound_name(name, head.name_length))
        result = -EPROTO;
    if (result == 0)
        result = read_all(stream, text, head.text_length);
    text[head.text_length] = '\0';
    if (result == 0)
        result = take(context, &(struct transport_record){name, text, head.text_length});
    free(text);
    return result == 0 ? 1 : result;
}

static int take_all(const struct stream *stream, worker_take *take, void *context,
                    struct worker_summary *summary)
{
    int result;
    while ((result = take_one(stream, take, context)) == 1)
        ;
    return result == 0 ? read_all(stream, summary, sizeof *summary) : result;
}

static pid_t start(const struct worker_order *order, int *fd)
{
    int fds[2];
    if (pipe(fds) != 0)
        return -errno;
    pid_t pid = fork();
    if (pid == 0) {
        close(fds[0]);
        _exit(work(order, fds[1]));
    }
    int error = errno;
    close(fds[1]);
    if (pid < 0) {
        close(fds[0]);
        return -error;
    }
    *fd = fds[0];
    return pid;
}

int worker_run(const struct worker_order *order, worker_take *take, void *context,
               struct worker_summary *summary)
{
    struct worker_summary found = {0};
    struct stream stream = {
        .fd = -1,
        .silence_ms = order->kind == WORKER_STARTS ? SILENCE_STARTS_MS : SILENCE_MS,
    };
    int status = 0;
    pid_t pid = start(order, &stream.fd);
    if (pid < 0)
        return (int)pid;
    int result = take_all(&stream, take, context, &found);
    close(stream.fd);
    if (result != 0)
        kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NO_LEDGER)
        return -EINVAL;
    if (result == 0 && status != 0)
        result = -EPROTO;
    if (result == 0)
        *summary = found;
    return result;
}
