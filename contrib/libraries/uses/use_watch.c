/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/uses/use_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/clocks.h"
#include "conf/base/descriptors.h"
#include "conf/base/host.h"
#include "conf/base/program_run.h"
#include "conf/base/trusted.h"
#include "conf/conf_defaults.h"
#include "contrib/libraries/globs.h"
#include "contrib/libraries/scan/library_lock.h"
#include "contrib/libraries/uses/use_counts.h"
#include "contrib/libraries/uses/use_write.h"
#include "contrib/libraries/watch/watch_events.h"
#include "contrib/libraries/watch/watch_marks.h"
#include "contrib/libraries/watch/watch_process.h"
#include "spank/spool_path.h"
#include "submit/job/spool_read.h"

/* A turn is so long. A job that was seen on the node may have left events for so long. */
enum { TURN_S = 600, EARLY_S = 2, EVENT_BYTES = 65536, LOWEST = 19, JOB_MS = 10000, SCAN_S = 60 };

/* An event with a name has less than so many bytes: a read that leaves room for it has read all. */
enum { EVENT_ROOM = 1024, READS_MAX = 256 };

#define SEEN "uses.seen"

struct use_watch {
    const struct conf *conf;
    struct watch_marks *marks;
    struct watch_processes *processes;
    struct globs *patterns, *except;
    struct use_batch batch;
    struct use_opens opens;
    struct use_writer writer;
    char self[LIBRARY_PROGRAM_SIZE], spool[PATH_MAX]; /* self: the directory of our programs */
    uint64_t job_ms;                                  /* monotonic: when a job was seen; 0: never */
    int signals;
    int64_t read_s, empty_s; /* when events were read last; when there were none */
    uint64_t overruns;
    bool is_moved;
};

static int fail(int error, const char *what)
{
    fprintf(stderr, "jobtrail-libmon: uses: %s: %s\n", what, strerror(-error));
    return error;
}

/* ---- Events ---------------------------------------------------------------------------------- */

/* Hashes of a flush, scans and the like are by programs of ours. */
static bool is_ours(const struct use_watch *watch, const char *program)
{
    static const char *const places[] = {"", DEFAULT_SUBMIT};
    const char *slash = strrchr(program, '/');
    if (slash == NULL || strncmp(slash + 1, "jobtrail-", strlen("jobtrail-")) != 0)
        return false;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *place = i == 0 ? watch->self : places[i], *end = strrchr(place, '/');
        if (end != NULL && end - place == slash - program &&
            strncmp(place, program, (size_t)(end - place)) == 0)
            return true;
    }
    return false;
}

/* A scan ends soon after it has read the last file. */
static bool is_last_scan(const struct use_watch *watch, int32_t pid)
{
    struct library_last_scan last;
    return library_last_scan_read(watch->conf->library_state, &last) == 0 && last.pid == pid &&
           (int64_t)time(NULL) - last.ended_s <= SCAN_S;
}

/* Whether processes of jobs are here, or were some seconds ago. */
static bool has_jobs(struct use_watch *watch)
{
    struct spool_jobs jobs = {.job = NULL};
    CLEANUP_CLOSE int spool = spool_open_node(watch->spool);
    if (spool >= 0 && spool_list(spool, 0, &jobs) == 0 && jobs.count > 0)
        watch->job_ms = clock_ms();
    free(jobs.job);
    return watch->job_ms != 0 && clock_ms() - watch->job_ms <= JOB_MS;
}

static void take_open(struct use_watch *watch, const struct watch_event *event, const char *path)
{
    struct library_who who;
    bool is_exec = (event->mask & FAN_OPEN_EXEC) != 0;
    watch_process_find(watch->processes, event, clock_ms(), &who);
    if (is_exec)
        watch_process_executes(watch->processes, event->pid);
    bool is_known = who.how >= LIBRARY_WHO_BY_FILE;
    if (!is_known && is_last_scan(watch, event->pid))
        return;
    if (!is_known && has_jobs(watch)) {
        watch->batch.unseen++;
        return;
    }
    if (is_known && (who.job != LIBRARY_NO_JOB || is_ours(watch, who.program)))
        return;
    enum use_kind kind =
        is_exec ? USE_EXEC : use_kind_of(who.program[0] == '\0' ? who.command : who.program);
    int64_t place = use_counts_add(&watch->batch.counts, path, kind, &who);
    if (place >= 0)
        use_opens_note(&watch->opens, event->pid, (size_t)place);
}

/* What one process has done to a file is one event until it is read: one that has opened and
 * written it has not used it. */
static void take_file(struct use_watch *watch, const struct watch_event *event, const char *path)
{
    bool is_opened = (event->mask & (FAN_OPEN | FAN_OPEN_EXEC)) != 0;
    bool is_written = (event->mask & FAN_CLOSE_WRITE) != 0;
    if (is_opened && !is_written)
        take_open(watch, event, path);
    else if (is_written && !is_opened)
        use_opens_closed(&watch->opens, &watch->batch.counts, event->pid, path);
}

static void take_event(void *context, const struct watch_event *event)
{
    struct use_watch *watch = context;
    char path[PATH_MAX];
    bool is_directory = (event->mask & FAN_ONDIR) != 0;
    if ((event->mask & FAN_Q_OVERFLOW) != 0) {
        watch->overruns++;
        watch->is_moved = true;
        use_batch_gap(&watch->batch, watch->batch.after_s);
        return;
    }
    if (event->name == NULL || event->name[0] == '\0' ||
        (event->mask & (is_directory ? FAN_CREATE | FAN_MOVED_FROM | FAN_MOVED_TO
                                     : FAN_OPEN | FAN_OPEN_EXEC | FAN_CLOSE_WRITE)) == 0)
        return;
    if (!is_directory &&
        (!globs_match(watch->patterns, event->name) || globs_match(watch->except, event->name)))
        return;
    if (!watch_marks_event_path(watch->marks, event, path))
        return;
    if (!is_directory)
        take_file(watch, event, path);
    else if ((event->mask & (FAN_MOVED_FROM | FAN_MOVED_TO)) != 0)
        watch->is_moved = true;
    else if ((event->mask & FAN_CREATE) != 0)
        watch_marks_add(watch->marks, path);
}

static int read_events(struct use_watch *watch)
{
    _Alignas(struct fanotify_event_metadata) static char bytes[EVENT_BYTES];
    const int64_t now_s = (int64_t)time(NULL);
    ssize_t size = read(watch_marks_fd(watch->marks), bytes, sizeof bytes);
    if (size + EVENT_ROOM <= EVENT_BYTES)
        watch->empty_s = now_s;
    if (size <= 0)
        return size == 0 || errno == EAGAIN || errno == EINTR ? 0 : -errno;
    int error = watch_events_each(bytes, (size_t)size, watch_marks_has_pidfd(watch->marks),
                                  take_event, watch);
    watch->read_s = (int64_t)time(NULL);
    return error;
}

/* What the kernel has at once, as far as one can be sure that it ends. */
static int read_all(struct use_watch *watch)
{
    const int64_t empty_s = watch->empty_s;
    int error = 0;
    watch->empty_s = 0;
    for (int i = 0; i < READS_MAX && error == 0 && watch->empty_s == 0; i++)
        error = read_events(watch);
    if (watch->empty_s == 0)
        watch->empty_s = empty_s;
    return error;
}

/* ---- Turns ----------------------------------------------------------------------------------- */

/* Ends what was counted so far. What is read from now on has happened since the kernel had no event
 * left. */
static void end_counts(struct use_watch *watch)
{
    struct use_batch *batch = &watch->batch;
    use_opens_settle(&watch->opens, &batch->counts);
    if (watch->batch.counts.lost + watch->batch.unseen + watch->overruns > 0)
        fprintf(stderr,
                "jobtrail-libmon: uses: not counted: %" PRIu64
                " opens of different uses (too many), %" PRIu64
                " that may have been in jobs, or of no library; overruns of the kernel's events: "
                "%" PRIu64 "\n",
                watch->batch.counts.lost, watch->batch.unseen, watch->overruns);
    batch->unseen += batch->counts.lost;
    batch->counts.lost = watch->overruns = 0;
    batch->before_s = watch->read_s + 1;
    batch->told_s = watch->empty_s > batch->before_s ? watch->empty_s : batch->before_s;
    if (batch->after_s > batch->before_s) /* no event since, or the clock was set back */
        batch->after_s = batch->before_s;
}

/* One writes at a time: what one that is not ready yet leaves no room for is counted on until the
 * next turn. */
static void write_beside(struct use_watch *watch)
{
    if (use_write_goes_on(&watch->writer))
        return;
    use_write_end(&watch->writer, &watch->batch);
    end_counts(watch);
    int error = use_write_begin(&watch->writer, &watch->batch, false);
    if (error != 0)
        fail(error, "they wait");
    else
        watch->batch.after_s = watch->empty_s;
}

/* What cannot be written now is lost. */
static void write_last(struct use_watch *watch)
{
    use_write_end(&watch->writer, &watch->batch);
    end_counts(watch);
    int error = use_write_begin(&watch->writer, &watch->batch, true);
    use_write_end(&watch->writer, &watch->batch);
    if (error != 0)
        fail(error, "they are lost");
    else if (watch->batch.counts.count > 0)
        fprintf(stderr, "jobtrail-libmon: uses: %zu of them could not be written\n",
                watch->batch.counts.count);
}

/* Turns end shortly before full hours, so that what was read when one has ended is of the hour, and
 * of the day, that ends too. */
static int64_t next_turn(void)
{
    int64_t now_s = (int64_t)time(NULL) + EARLY_S;
    return now_s - now_s % TURN_S + TURN_S - EARLY_S;
}

/* Returns whether the turn is over, since the watch is to end, or to write at once. */
static bool take_signals(struct use_watch *watch, bool *is_end)
{
    struct signalfd_siginfo info;
    bool is_over = false;
    while (read(watch->signals, &info, sizeof info) == (ssize_t)sizeof info) {
        is_over |= info.ssi_signo != SIGCHLD;
        *is_end |= info.ssi_signo == SIGTERM || info.ssi_signo == SIGINT;
    }
    if (!use_write_goes_on(&watch->writer))
        use_write_end(&watch->writer, &watch->batch);
    return is_over;
}

/* Returns 0 or -errno. */
static int watch_turn(struct use_watch *watch, int64_t until_s, bool *is_end)
{
    struct pollfd ready[] = {{.fd = watch_marks_fd(watch->marks), .events = POLLIN},
                             {.fd = watch->signals, .events = POLLIN}};
    int64_t now_s = (int64_t)time(NULL);
    int error = 0;
    bool is_over = false;
    while (error == 0 && !is_over && now_s < until_s && until_s <= now_s + TURN_S) {
        int count = poll(ready, 2, (int)(until_s - now_s) * 1000);
        if (count > 0 && ready[0].revents != 0)
            error = read_events(watch);
        if (count > 0 && ready[1].revents != 0)
            is_over = take_signals(watch, is_end);
        now_s = (int64_t)time(NULL);
    }
    return error == 0 ? read_all(watch) : error;
}

static int watch_opens(struct use_watch *watch)
{
    bool is_end = false;
    int error = 0;
    for (;;) {
        error = watch_turn(watch, next_turn(), &is_end);
        if (is_end || error != 0)
            break;
        write_beside(watch);
        if (watch->is_moved || watch_marks_is_stale(watch->marks))
            watch_marks_again(watch->marks, &watch->conf->library_trees);
        watch->is_moved = false;
    }
    write_last(watch);
    return error == 0 ? 0 : fail(error, "events");
}

/* ---- Begin and end --------------------------------------------------------------------------- */

static int open_logs(const char *path)
{
    char culprit[PATH_MAX];
    int fd = trusted_directory_make(path, 0755, culprit, sizeof culprit);
    return fd < 0 ? fail(fd, culprit[0] != '\0' ? culprit : path) : fd;
}

/* Nobody has looked since all was reported that was seen: the file has the time. */
static int open_seen(struct use_watch *watch)
{
    char path[PATH_MAX];
    struct stat status;
    snprintf(path, sizeof path, "%s/" SEEN, watch->conf->library_state);
    watch->batch.after_s = watch->empty_s = watch->read_s = (int64_t)time(NULL);
    int fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0 || fstat(fd, &status) != 0)
        return fd;
    use_batch_gap(&watch->batch, status.st_mtime);
    return fd;
}

static int open_files(struct use_watch *watch)
{
    const int more[] = {SIGUSR1, SIGCHLD};
    const struct conf *conf = watch->conf;
    program_place("", watch->self, sizeof watch->self);
    watch->signals = signal_fd(more, 2);
    if (watch->signals < 0)
        return fail(watch->signals, "signals");
    if (conf->library_use_logs[0] != '\0' &&
        (watch->writer.directory = open_logs(conf->library_use_logs)) < 0)
        return watch->writer.directory;
    watch->writer.seen = open_seen(watch);
    return watch->writer.seen < 0 ? fail(-errno, SEEN) : 0;
}

static int get_ready(struct use_watch *watch)
{
    const struct conf *conf = watch->conf;
    int error = open_files(watch);
    if (error != 0)
        return error;
    if (spool_expand(conf->spool, host_node(), watch->spool, sizeof watch->spool) != 0)
        watch->spool[0] = '\0';
    error = globs_read(conf->library_patterns, &watch->patterns);
    if (error == 0)
        error = globs_read(conf->library_except, &watch->except);
    if (error == 0 && (watch->processes = watch_processes_new(conf->spool)) == NULL)
        error = -ENOMEM;
    if (error == 0)
        error = watch_marks_new(WATCH_OPENS, &watch->marks);
    if (error != 0)
        return fail(error, "fanotify");
    watch_marks_again(watch->marks, &conf->library_trees);
    return 0;
}

int64_t use_watch_told(const struct conf *conf)
{
    char path[PATH_MAX];
    struct stat status;
    snprintf(path, sizeof path, "%s/" SEEN, conf->library_state);
    return lstat(path, &status) == 0 ? (int64_t)status.st_mtime : 0;
}

int use_watch_run(const struct conf *conf)
{
    static struct use_watch watch;
    watch = (struct use_watch){
        .conf = conf, .signals = -1, .writer = {.conf = conf, .directory = -1, .seen = -1}};
    /* any user can open as often as they like */
    setpriority(PRIO_PROCESS, 0, LOWEST);
    int error = get_ready(&watch);
    if (error == 0)
        error = watch_opens(&watch);
    watch_marks_free(watch.marks);
    free(watch.processes);
    globs_free(watch.patterns);
    globs_free(watch.except);
    use_counts_clear(&watch.batch.counts);
    const int fds[] = {watch.writer.directory, watch.writer.seen, watch.signals};
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    return error;
}
