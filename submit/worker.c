/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * On the pipe from the child to the parent: for each record a head with the lengths of its name
 * and its text, the name, the text; at the end a head of two zeros and the summary. Without the
 * summary the child broke down. Whatever it sends, the parent believes no length beyond the
 * limits and no name that leads out of a directory.
 */
#include "worker.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "coverage_send.h"
#include "ending.h"
#include "file_facts.h"
#include "hand_in_read.h"
#include "hasher.h"
#include "io.h"
#include "ledger_read.h"
#include "package_send.h"
#include "policy_load.h"
#include "privileges.h"
#include "process.h"
#include "run_record.h"
#include "sampling_read.h"

enum { TEXT_MAX = 16 << 20, PIPE_BYTES = 512 << 10 };

/* How long the child may be silent: it looks at files of the user's, on file systems that may be
 * the user's too, and hang; and the user may stop it. The watcher has other jobs to look at, and
 * the flush of sessions other users. */
static const int silence_ms[] = {[WORKER_ENDS] = 600000,
                                 [WORKER_STARTS] = 5000,
                                 [WORKER_SESSION] = 120000,
                                 [WORKER_RECORDS] = 120000};

/* A child that was killed may hang in a file system. */
enum { REAP_MS = 5000 };

/* The child's exit status where the ledger is none; any other but 0 is a breakdown. */
enum { EXIT_NO_LEDGER = 3, EXIT_BROKEN = 4, EXIT_NO_POLICY = 5 };

struct head {
    uint32_t name_length;
    uint32_t text_length;
};

/* The parent's end of the pipe. */
struct stream {
    int fd;
    int silence_ms;
    int ended;         /* there is nobody any more who writes to it */
    size_t at, filled; /* of what has been read and not been taken yet */
    char buffer[PIPE_BYTES / 2];
};

/* Waits for more. Returns 0 or -errno. */
static int fill(struct stream *stream)
{
    struct pollfd ready = {.fd = stream->fd, .events = POLLIN};
    ssize_t got;
    do {
        if (poll(&ready, 1, stream->silence_ms) == 0)
            return -ETIMEDOUT;
        got = read(stream->fd, stream->buffer, sizeof stream->buffer);
    } while (got < 0 && errno == EINTR);
    if (got < 0)
        return -errno;
    if (got == 0) {
        stream->ended = 1;
        return -EPROTO;
    }
    stream->at = 0;
    stream->filled = (size_t)got;
    return 0;
}

static int read_all(struct stream *stream, void *bytes, size_t size)
{
    char *to = bytes;
    while (size > 0) {
        int result = stream->at == stream->filled ? fill(stream) : 0;
        if (result != 0)
            return result;
        size_t ready = stream->filled - stream->at;
        size_t taken = ready < size ? ready : size;
        memcpy(to, stream->buffer + stream->at, taken);
        stream->at += taken;
        to += taken;
        size -= taken;
    }
    return 0;
}

static int hand_over(int fd, const struct record *record)
{
    struct head head = {(uint32_t)strlen(record->name), (uint32_t)record->length};
    const struct iovec parts[] = {{&head, sizeof head},
                                  {(void *)record->name, head.name_length},
                                  {record->text, head.text_length}};
    return io_write_parts(fd, parts, 3);
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

/* `captures` is NULL where the ledger cannot be read. */
static int hand_over_coverage(const struct worker_order *order, const void *policy,
                              const struct captures *captures, int fd,
                              struct worker_summary *summary)
{
    const struct coverage_send send = {.conf = order->conf,
                                       .source = {policy, order->journal, captures, order->now_ns},
                                       .give = give,
                                       .context = &fd};
    return coverage_send(&send, &summary->records);
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

/* One of another namespace cannot be looked for: it counts as gone when its session is over. */
static int goes_on(const struct worker_order *order, const struct capture *capture,
                   const struct ending *ending)
{
    if (capture->end_ns != 0 || strcmp(ending->source, "exec") == 0)
        return 0;
    if (capture->name_space.at != NULL)
        return !order->over;
    return process_alive(capture->pid, capture->start_ticks);
}

/* Of a session, which records are handed over now. Nobody waited for its processes but the user. */
static int wanted_of_session(const struct worker_order *order, const struct capture *capture,
                             struct ending *ending, struct worker_summary *summary)
{
    char uuid[RECORD_UUID_SIZE];
    int running = goes_on(order, capture, ending);
    run_record_uuid(capture, uuid);
    summary->running += (uint64_t)running;
    if (strcmp(ending->source, "epilog") == 0)
        ending->source = "session";
    return !running && strstr(order->started, uuid) == NULL;
}

static int hand_over_each_end(const struct worker_order *order, const struct captures *captures,
                              struct ending *endings, const struct packages *packages,
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
        if (order->kind == WORKER_SESSION &&
            !wanted_of_session(order, source.capture, &endings[i], summary))
            continue;
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

static int hand_over_ends(const struct worker_order *order, const void *policy,
                          const struct captures *captures, int fd, struct worker_summary *summary)
{
    struct ending *endings = calloc(captures->count + 1, sizeof *endings);
    struct packages packages = {0};
    const struct package_send send = {.conf = order->conf,
                                      .journal = order->journal,
                                      .policy = policy,
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

static int send_starts(const struct worker_order *order, int fd, struct worker_summary *summary)
{
    struct captures captures;
    int result = ledger_read(order->ledger, &captures);
    if (result != 0)
        return result;
    result = hand_over_starts(order, &captures, fd, summary);
    captures_free(&captures);
    return result;
}

/* A job's ledger that is none has coverage all the same. Returns 0, -EINVAL where the ledger is
 * none, or -errno. */
static int send_ends(const struct worker_order *order, const void *policy, int fd,
                     struct worker_summary *summary)
{
    struct captures captures = {0};
    int read = order->ledger < 0 ? 0 : ledger_read(order->ledger, &captures);
    if (read != 0 && read != -EINVAL)
        return read;
    summary->damaged = captures.damaged;
    summary->dropped = captures.dropped;
    int is_job = order->kind == WORKER_ENDS, result = 0;
    if (!is_job || !coverage_excludes(policy, order->journal))
        result = hand_over_ends(order, policy, &captures, fd, summary);
    if (result == 0 && is_job)
        result = hand_over_coverage(order, policy,
                                    read != 0 || order->ledger < 0 ? NULL : &captures, fd, summary);
    captures_free(&captures);
    return result != 0 ? result : read;
}

static int send_records(const struct worker_order *order, int fd, struct worker_summary *summary)
{
    const struct hand_in_read read = {.user = order->user,
                                      .uid = order->journal->uid,
                                      .user_name = order->journal->user,
                                      .give = give,
                                      .context = &fd};
    return hand_in_read(&read, &summary->records, &summary->damaged);
}

static int needs_policy(const struct worker_order *order)
{
    return order->kind == WORKER_ENDS || order->kind == WORKER_SESSION;
}

static int work(const struct worker_order *order, int fd)
{
    const struct head last = {0, 0};
    struct worker_summary summary = {0};
    void *policy = NULL;
    if (needs_policy(order) && policy_load(order->conf, &policy) != 0)
        return EXIT_NO_POLICY;
    if (privileges_drop(order->journal->uid, order->journal->gid) != 0)
        return EXIT_BROKEN;
    int result = order->kind == WORKER_STARTS    ? send_starts(order, fd, &summary)
                 : order->kind == WORKER_RECORDS ? send_records(order, fd, &summary)
                                                 : send_ends(order, policy, fd, &summary);
    free(policy);
    if (result != 0 && result != -EINVAL)
        return EXIT_BROKEN;
    if (io_write_all(fd, &last, sizeof last) != 0 ||
        io_write_all(fd, &summary, sizeof summary) != 0)
        return EXIT_BROKEN;
    return result == 0 ? 0 : EXIT_NO_LEDGER;
}

static int sound_name(const char *name, size_t length)
{
    return length > 0 && name[0] != '.' && memchr(name, '/', length) == NULL &&
           memchr(name, '\0', length) == NULL;
}

/* Takes one record from the pipe. Returns 1, 0 at the end, or -errno. */
static int take_one(struct stream *stream, worker_take *take, void *context)
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

static int take_all(struct stream *stream, worker_take *take, void *context,
                    struct worker_summary *summary)
{
    int result;
    while ((result = take_one(stream, take, context)) == 1)
        ;
    return result == 0 ? read_all(stream, summary, sizeof *summary) : result;
}

/* `hasher`: whom the child asks about files. */
static pid_t start(const struct worker_order *order, int hasher, int *fd)
{
    int fds[2];
    if (pipe(fds) != 0)
        return -errno;
    fcntl(fds[1], F_SETPIPE_SZ, PIPE_BYTES); /* fewer changes between the two; as it is otherwise */
    pid_t pid = fork();
    if (pid == 0) {
        close(fds[0]);
        file_facts_hasher(hasher);
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

static int killed_by_others(int status)
{
    return WIFSIGNALED(status) && (WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGTERM ||
                                   WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGHUP);
}

static int run(const struct worker_order *order, int hasher, worker_take *take, void *context,
               struct worker_summary *summary)
{
    struct worker_summary found = {0};
    struct stream stream = {
        .fd = -1,
        .silence_ms = silence_ms[order->kind],
    };
    int status = 0;
    pid_t pid = start(order, hasher, &stream.fd);
    if (pid < 0)
        return (int)pid;
    int result = take_all(&stream, take, context, &found);
    close(stream.fd);
    int gone = result == 0 || stream.ended;
    if (!gone)
        kill(pid, SIGKILL);
    if (!process_reap(pid, REAP_MS, &status)) {
        kill(pid, SIGKILL);
        return gone ? -ETIMEDOUT : result;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NO_LEDGER)
        return -EINVAL;
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NO_POLICY)
        return -ENOTSUP;
    if (gone && killed_by_others(status))
        return -EINTR;
    if (result == 0 && status != 0)
        result = -EPROTO;
    if (result == 0)
        *summary = found;
    return result;
}

int worker_run(const struct worker_order *order, worker_take *take, void *context,
               struct worker_summary *summary)
{
    int fd = -1, status;
    if (order->kind == WORKER_RECORDS) /* which are finished */
        return run(order, -1, take, context, summary);
    pid_t hasher = hasher_start(order->conf->state, order->journal->uid, order->journal->gid, &fd);
    if (hasher < 0)
        return (int)hasher;
    int result = run(order, fd, take, context, summary);
    close(fd);
    kill(hasher, SIGKILL); /* it may hang in a file system */
    process_reap(hasher, REAP_MS, &status);
    return result;
}
