/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * On the pipe from the child to the parent: for each record a head with the lengths of its name
 * and its text, and its unit, the name, the text; at the end a head of two zeros and the summary.
 * Without the summary the child broke down. Whatever it sends, the parent believes no length beyond
 * the limits, no name that leads out of a directory, and no record of another's job
 * (worker_check.h).
 */
#include "submit/flush/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/cpu_time.h"
#include "conf/base/privileges.h"
#include "conf/base/process.h"
#include "conf/base/sandbox.h"
#include "conf/policy_load.h"
#include "submit/facts/file_facts.h"
#include "submit/facts/hasher.h"
#include "submit/flush/ledger_send.h"
#include "submit/flush/worker_check.h"
#include "submit/hand_in/hand_in_read.h"

enum { TEXT_MAX = 16 << 20, PIPE_BYTES = 512 << 10, OUTLET_BYTES = 64 << 10, PATIENCE_MS = 20 };

/* How long the child may be silent: it looks at files of the user's, on file systems that may be
 * the user's too, and hang; and the user may stop it. The watcher has other jobs to look at, and
 * the flush of sessions other users. */
static const uint64_t silence_ms[] = {[WORKER_ENDS] = 120000,
                                      [WORKER_STARTS] = 2000,
                                      [WORKER_SESSION] = 10000,
                                      [WORKER_RECORDS] = 10000};

/* So long all files of one order may take to be hashed, and one of them: below the silence. */
static const uint64_t hash_ms[] = {
    [WORKER_ENDS] = 60000, [WORKER_STARTS] = 1000, [WORKER_SESSION] = 5000};

/* A child that was killed may hang in a file system. */
enum { REAP_MS = 5000, LOOK_MS = 250 };

/* The child's exit status where the ledger is none; any other but 0 is a breakdown. */
enum { EXIT_NO_LEDGER = 3, EXIT_BROKEN = 4, EXIT_NO_POLICY = 5 };

struct head {
    uint32_t name_length;
    uint32_t text_length;
    uint64_t unit; /* as in struct worker_place */
};

/* The child's end of the pipe. */
struct outlet {
    FILE *pipe;
    uint64_t patience_ms; /* how long records may wait for others */
    uint64_t flushed_ms;  /* when some have gone last, CLOCK_MONOTONIC */
    const struct worker_order *order;
    uint64_t unit, skipped; /* whose records come, and how many of them were not wanted */
};

/* The parent's end of the pipe. */
struct stream {
    int fd;
    struct worker_check *check;
    struct worker_place *reached; /* as in the order; NULL: nobody asks */
    const struct worker_order *order;
    uint64_t deadline_ns, silent_ns; /* CLOCK_MONOTONIC: when the time, and when patience is over */
    uint64_t begun;                  /* the unit that the child was at when it was looked at last */
    pid_t child, hasher;
    uint64_t own_ns;   /* processor time of this process when the child was started */
    int ended;         /* there is nobody any more who writes to it */
    size_t at, filled; /* of what has been read and not been taken yet */
    char buffer[PIPE_BYTES / 2];
};

static uint64_t used_ns(const struct stream *stream)
{
    return cpu_time_own() - stream->own_ns + cpu_time_of(stream->child) +
           cpu_time_of(stream->hasher);
}

static void be_patient(struct stream *stream)
{
    const struct worker_order *order = stream->order;
    uint64_t hashing_ms = order->kind == WORKER_ENDS ? order->conf->hash_job_s * UINT64_C(1000) : 0;
    stream->silent_ns = transport_deadline(silence_ms[order->kind] + hashing_ms);
}

/* A child that goes from one unit to the next is not silent; it may have nothing to say. */
static int is_silent(struct stream *stream)
{
    const uint64_t *begun = stream->order->begun;
    uint64_t unit = begun == NULL ? 0 : __atomic_load_n(begun, __ATOMIC_RELAXED);
    if (unit != stream->begun)
        be_patient(stream);
    stream->begun = unit;
    return transport_left_ms(stream->silent_ns) == 0;
}

static int is_late(struct stream *stream)
{
    const struct worker_order *order = stream->order;
    if (stream->deadline_ns == 0 || transport_left_ms(stream->deadline_ns) > 0)
        return 0;
    stream->deadline_ns = order->more_time == NULL ? 0 : order->more_time(order->more_context);
    return stream->deadline_ns == 0;
}

/* A child that says a little all the time, as files of the user's can make it, has no more time
 * than others. Returns 0 or -errno. */
static int check_bounds(struct stream *stream)
{
    const struct worker_order *order = stream->order;
    if (order->cpu_ns != 0 && used_ns(stream) >= order->cpu_ns)
        return -EOVERFLOW;
    return is_late(stream) || is_silent(stream) ? -ETIMEDOUT : 0;
}

/* Milliseconds until the bounds are to be looked at again. */
static int look_again_ms(const struct stream *stream)
{
    unsigned left = stream->deadline_ns == 0 ? UINT_MAX : transport_left_ms(stream->deadline_ns);
    return left < LOOK_MS ? (int)left + 1 : LOOK_MS;
}

/* Waits for more. Returns 0 or -errno. */
static int fill(struct stream *stream)
{
    struct pollfd ready = {.fd = stream->fd, .events = POLLIN};
    ssize_t got = -1;
    do {
        int result = check_bounds(stream);
        if (result != 0)
            return result;
        if (poll(&ready, 1, look_again_ms(stream)) == 0) {
            errno = EINTR;
            continue;
        }
        got = read(stream->fd, stream->buffer, sizeof stream->buffer);
    } while (got < 0 && errno == EINTR);
    if (got < 0)
        return -errno;
    if (got == 0) {
        stream->ended = 1;
        return -EPROTO;
    }
    be_patient(stream);
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

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000u + (uint64_t)now.tv_nsec / 1000000u;
}

/* Records go to the parent together. After PATIENCE_MS the next one takes along those that wait:
 * the parent hears of each that takes long, and a breakdown of the child loses few, of which the
 * ledger is set aside. */
static int give(void *context, const struct built_record *record)
{
    struct outlet *outlet = context;
    const struct head head = {(uint32_t)strlen(record->name), (uint32_t)record->length,
                              outlet->unit};
    const struct worker_place *from = &outlet->order->from;
    if (outlet->unit == from->unit && outlet->skipped < from->records) {
        outlet->skipped++;
        return 0;
    }
    fwrite(&head, sizeof head, 1, outlet->pipe);
    fwrite(record->name, head.name_length, 1, outlet->pipe);
    fwrite(record->text, head.text_length, 1, outlet->pipe);
    uint64_t now = now_ms();
    if (now - outlet->flushed_ms >= outlet->patience_ms) {
        outlet->flushed_ms = now;
        fflush(outlet->pipe);
    }
    return ferror(outlet->pipe) ? -EPIPE : 0;
}

static void note_begun(const struct worker_order *order, uint64_t unit)
{
    if (order->begun != NULL)
        __atomic_store_n(order->begun, unit, __ATOMIC_RELAXED);
}

static int begin(void *context, uint64_t unit)
{
    struct outlet *outlet = context;
    const struct worker_order *order = outlet->order;
    for (size_t i = 0; i < order->passed_count; i++)
        if (order->passed[i] == unit)
            return 0;
    note_begun(order, unit);
    outlet->unit = unit;
    return 1;
}

static int finish(FILE *pipe, const struct worker_summary *summary)
{
    const struct head last = {0, 0, 0};
    fwrite(&last, sizeof last, 1, pipe);
    fwrite(summary, sizeof *summary, 1, pipe);
    return fflush(pipe) != 0 || ferror(pipe) ? -EPIPE : 0;
}

static int send_records(const struct worker_order *order, struct outlet *outlet,
                        struct worker_summary *summary)
{
    const struct hand_in_read read = {.user = order->user,
                                      .uid = order->identity->uid,
                                      .user_name = order->identity->user,
                                      .give = give,
                                      .context = outlet};
    return hand_in_read(&read, &summary->records, &summary->damaged);
}

static int needs_policy(const struct worker_order *order)
{
    return order->kind != WORKER_RECORDS;
}

/* The pipe to the parent at `fd`; the hasher at `hasher`. */
static int work(const struct worker_order *order, int fd, int hasher)
{
    const int keep[] = {fd, hasher, order->ledger, order->packages,
                        order->kind == WORKER_RECORDS ? order->user : -1};
    static char buffer[OUTLET_BYTES];
    struct worker_summary summary = {0};
    struct outlet outlet = {.pipe = fdopen(fd, "w"),
                            .patience_ms = order->kind == WORKER_STARTS ? 0 : PATIENCE_MS,
                            .flushed_ms = now_ms(),
                            .order = order};
    void *policy = NULL;
    if (outlet.pipe == NULL || setvbuf(outlet.pipe, buffer, _IOFBF, sizeof buffer) != 0)
        return EXIT_BROKEN;
    if (needs_policy(order) && policy_load(order->conf, &policy) != 0)
        return EXIT_NO_POLICY;
    if (privileges_drop(order->identity->uid, order->identity->gid, keep,
                        sizeof keep / sizeof keep[0]) != 0 ||
        sandbox_enter(order->kind == WORKER_RECORDS ? SANDBOX_RENAMES : SANDBOX_READS) != 0)
        return EXIT_BROKEN;
    note_begun(order, WORKER_UNIT_READING);
    struct ledger_send send = {
        .order = order, .policy = policy, .give = give, .begin = begin, .context = &outlet};
    command_lines_make(order->conf, policy, &send.lines);
    int result = order->kind == WORKER_RECORDS ? send_records(order, &outlet, &summary)
                                               : ledger_send(&send, &summary);
    free(policy);
    if (result != 0 && result != -EINVAL) {
        fflush(outlet.pipe);
        return EXIT_BROKEN;
    }
    if (finish(outlet.pipe, &summary) != 0)
        return EXIT_BROKEN;
    return result == 0 ? 0 : EXIT_NO_LEDGER;
}

static int sound_name(const char *name, size_t length)
{
    return length > 0 && name[0] != '.' && memchr(name, '/', length) == NULL &&
           memchr(name, '\0', length) == NULL;
}

static void reach(struct worker_place *place, uint64_t unit)
{
    if (place != NULL)
        *place = (struct worker_place){unit, place->unit == unit ? place->records + 1 : 1};
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
    const struct record_view record = record_view(name, text, head.text_length);
    if (result == 0 && !worker_check_record(stream->check, &record))
        result = -EPROTO;
    if (result == 0)
        result = take(context, &record);
    if (result == 0)
        reach(stream->reached, head.unit);
    free(text);
    return result == 0 ? 1 : result;
}

static int take_all(struct stream *stream, worker_take *take, void *context,
                    struct worker_summary *summary)
{
    int result;
    while ((result = take_one(stream, take, context)) == 1)
        ;
    if (result == 0)
        result = read_all(stream, summary, sizeof *summary);
    if (result == 0)
        worker_check_summary(stream->check, summary);
    return result;
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
        file_facts_hasher(hasher);
        _exit(work(order, fds[1], hasher));
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

/* Whom the child asks about files; pid 0 and fd -1: nobody. */
struct helper {
    pid_t pid;
    int fd;
};

static int run_checked(const struct worker_order *order, const struct helper *hasher,
                       struct worker_check *check, worker_take *take, void *context,
                       struct worker_summary *summary)
{
    struct worker_summary found = {0};
    struct stream stream = {
        .fd = -1,
        .check = check,
        .reached = order->reached,
        .order = order,
        .deadline_ns = order->deadline_ns,
        .hasher = hasher->pid,
        .own_ns = cpu_time_own(),
    };
    int status = 0;
    pid_t pid = start(order, hasher->fd, &stream.fd);
    if (pid < 0)
        return (int)pid;
    stream.child = pid;
    be_patient(&stream);
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

static int run(const struct worker_order *order, const struct helper *hasher, worker_take *take,
               void *context, struct worker_summary *summary)
{
    struct worker_check *check = worker_check_new(order);
    int result =
        check == NULL ? -ENOMEM : run_checked(order, hasher, check, take, context, summary);
    worker_check_free(check);
    return result;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static struct file_hash_bounds bounds_of(const struct worker_order *order)
{
    const struct conf *conf = order->conf;
    return (struct file_hash_bounds){
        .file_bytes = conf->hash_file_bytes,
        .file_ms = least(conf->hash_file_s * UINT64_C(1000), hash_ms[order->kind]),
        .bytes = conf->hash_job_bytes,
        .ms = order->kind == WORKER_ENDS ? conf->hash_job_s * UINT64_C(1000) : hash_ms[order->kind],
    };
}

static int run_hashing(const struct worker_order *order, worker_take *take, void *context,
                       struct worker_summary *summary)
{
    struct helper hasher = {.fd = -1};
    int status;
    const struct file_hash_bounds bounds = bounds_of(order);
    hasher.pid =
        hasher_start(order->conf, &bounds, order->identity->uid, order->identity->gid, &hasher.fd);
    if (hasher.pid < 0)
        return (int)hasher.pid;
    int result = run(order, &hasher, take, context, summary);
    close(hasher.fd);
    kill(hasher.pid, SIGKILL); /* it may hang in a file system */
    process_reap(hasher.pid, REAP_MS, &status);
    return result;
}

int worker_run(const struct worker_order *order, worker_take *take, void *context,
               struct worker_summary *summary)
{
    const struct helper none = {.fd = -1};
    uint64_t before = cpu_time_own() + cpu_time_children();
    int result = order->kind == WORKER_RECORDS /* which are finished */
                     ? run(order, &none, take, context, summary)
                     : run_hashing(order, take, context, summary);
    if (order->used != NULL)
        *order->used += cpu_time_own() + cpu_time_children() - before;
    return result;
}
