/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/libraries/uses/use_watch.h"

#include <errno.h>
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
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/directory.h"
#include "conf/base/globs.h"
#include "conf/base/trusted.h"
#include "submit/libraries/library_user.h"
#include "submit/libraries/lines/line_log.h"
#include "submit/libraries/scan/library_names.h"
#include "submit/libraries/uses/use_counts.h"
#include "submit/libraries/uses/use_kind.h"
#include "submit/libraries/watch/watch_events.h"
#include "submit/libraries/watch/watch_marks.h"
#include "submit/libraries/watch/watch_process.h"

/* Lines are written so often; paths and programs are cut at their front to so many bytes. */
enum { WRITE_S = 600, EVENT_BYTES = 65536, SHOWN = 120, LOWEST = 19 };

struct use_watch {
    const struct conf *conf;
    struct watch_marks *marks;
    struct watch_processes *processes;
    struct globs *patterns, *except;
    struct use_counts counts;
    char self[LIBRARY_PROGRAM_SIZE]; /* scans open libraries too */
    int directory, signals;
    pid_t writer; /* a child that writes lines; 0: none */
    uint64_t overruns;
    bool is_moved;
};

static int fail(int error, const char *what)
{
    fprintf(stderr, "jobtrail-libmon: use_logs: %s: %s\n", what, strerror(-error));
    return error;
}

/* ---- Events ---------------------------------------------------------------------------------- */

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void take_directory(struct use_watch *watch, const struct watch_event *event,
                           const char *path)
{
    if ((event->mask & (FAN_MOVED_FROM | FAN_MOVED_TO)) != 0)
        watch->is_moved = true;
    else if ((event->mask & FAN_CREATE) != 0)
        watch_marks_add(watch->marks, path);
}

static void take_open(struct use_watch *watch, const struct watch_event *event, const char *path)
{
    struct library_who who;
    watch_process_find(watch->processes, event, now_ms(), &who);
    bool is_known = who.how >= LIBRARY_WHO_BY_FILE;
    if (is_known && (who.job != LIBRARY_NO_JOB || strcmp(who.program, watch->self) == 0))
        return;
    enum use_kind kind = use_kind_of(who.program[0] == '\0' ? who.command : who.program);
    if ((event->mask & FAN_OPEN_EXEC) != 0)
        kind = USE_EXEC;
    use_counts_add(&watch->counts, path, kind, &who);
}

static void take_event(void *context, const struct watch_event *event)
{
    struct use_watch *watch = context;
    char path[2 * PATH_MAX];
    bool is_directory = (event->mask & FAN_ONDIR) != 0;
    if ((event->mask & FAN_Q_OVERFLOW) != 0) {
        watch->overruns++;
        watch->is_moved = true;
        return;
    }
    if (event->name == NULL || event->name[0] == '\0' ||
        (event->mask & (is_directory ? FAN_CREATE | FAN_MOVED_FROM | FAN_MOVED_TO
                                     : FAN_OPEN | FAN_OPEN_EXEC)) == 0)
        return;
    if (!is_directory &&
        (!globs_match(watch->patterns, event->name) || globs_match(watch->except, event->name)))
        return;
    const char *directory =
        watch_marks_path(watch->marks, event->fsid, event->handle, event->handle_size);
    if (directory == NULL ||
        snprintf(path, sizeof path, "%s/%s", directory, event->name) >= (int)sizeof path)
        return;
    if (is_directory)
        take_directory(watch, event, path);
    else
        take_open(watch, event, path);
}

static int read_events(struct use_watch *watch)
{
    _Alignas(struct fanotify_event_metadata) static char bytes[EVENT_BYTES];
    ssize_t size = read(watch_marks_fd(watch->marks), bytes, sizeof bytes);
    if (size <= 0)
        return size == 0 || errno == EAGAIN || errno == EINTR ? 0 : -errno;
    return watch_events_each(bytes, (size_t)size, watch_marks_has_pidfd(watch->marks), take_event,
                             watch);
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* Of a long text the end says more. */
static const char *shown(const char *text)
{
    size_t length = strlen(text);
    return length <= SHOWN ? text : text + length - SHOWN;
}

/* Appends KEY=VALUE and its NUL. */
static void add_pair(char *words, size_t room, size_t *size, const char *key, const char *value)
{
    if (value[0] == '\0' || *size >= room)
        return;
    int length = snprintf(words + *size, room - *size, "%s%s", key, shown(value));
    *size += (size_t)length + 1;
    if (*size > room)
        *size = room;
}

static int write_use(const struct use_watch *watch, const struct use *use, const char *name)
{
    const struct library_logs logs = {watch->directory, watch->conf->library_log_bytes,
                                      watch->conf->library_log_files};
    char file[LIBRARY_LOG_NAME_SIZE], user[LIBRARY_USER_SIZE] = "unknown", words[LOG_LINE_SIZE];
    char count[24], login[LIBRARY_USER_SIZE] = "";
    size_t size = 0;
    bool is_known = use->who.how >= LIBRARY_WHO_BY_FILE;
    snprintf(count, sizeof count, "%" PRIu64, use->count);
    if (is_known)
        library_user_name(use->who.uid, user);
    if (is_known && use->who.login_uid != LIBRARY_NO_USER && use->who.login_uid != use->who.uid)
        library_user_name(use->who.login_uid, login);
    add_pair(words, sizeof words, &size, "", use_kind_log_word(use->kind));
    add_pair(words, sizeof words, &size, "count=", count);
    add_pair(words, sizeof words, &size, "login=", login);
    add_pair(words, sizeof words, &size, "command=", use->who.command);
    add_pair(words, sizeof words, &size, "program=", use->who.program);
    add_pair(words, sizeof words, &size, "path=", use->path);
    const struct log_message message = {name, words, size, true};
    library_log_file(name, file);
    return line_log_write(&logs, file, &message, user, (int64_t)time(NULL));
}

/* What no scan has seen is no library yet; files of users who are not believed have no log. */
static void write_uses(const struct use_watch *watch)
{
    struct library_names *names = NULL;
    char name[LIBRARY_TEXT_SIZE];
    int error = library_names_open(watch->conf->library_state, &names);
    if (error != 0)
        fail(error, "the state of scans");
    for (size_t i = 0; i < watch->counts.count && error == 0; i++) {
        const struct use *use = &watch->counts.use[i];
        if (!library_names_find(names, use->path, name) || name[0] == '~')
            continue;
        int failed = write_use(watch, use, name);
        if (failed != 0 && failed != -EMSGSIZE)
            error = fail(failed, name);
    }
    if (watch->counts.lost + watch->overruns > 0)
        fprintf(stderr,
                "jobtrail-libmon: use_logs: not counted: %" PRIu64 " opens; overruns of the "
                "kernel's events: %" PRIu64 "\n",
                watch->counts.lost, watch->overruns);
    library_names_close(names);
}

static bool is_writing(const struct use_watch *watch)
{
    return watch->writer != 0 && waitpid(watch->writer, NULL, WNOHANG) == 0;
}

/* In a child: a directory service, or a disk, may take long. One at a time writes to a log: what
 * one that is not ready yet leaves no room for is counted on until the next turn. */
static void write_beside(struct use_watch *watch)
{
    if (is_writing(watch))
        return;
    watch->writer = 0;
    if (watch->counts.count > 0) {
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0) {
            write_uses(watch);
            _exit(fflush(NULL) == 0 ? 0 : 1);
        }
        watch->writer = pid > 0 ? pid : 0;
    }
    use_counts_clear(&watch->counts);
    watch->overruns = 0;
}

/* ---- The loop -------------------------------------------------------------------------------- */

static int watch_opens(struct use_watch *watch)
{
    time_t next_s = time(NULL) + WRITE_S;
    struct pollfd ready[] = {{.fd = watch_marks_fd(watch->marks), .events = POLLIN},
                             {.fd = watch->signals, .events = POLLIN}};
    for (;;) {
        int count = poll(ready, 2, WRITE_S * 1000 / 10);
        int error = count > 0 && ready[0].revents != 0 ? read_events(watch) : 0;
        if (error != 0)
            return fail(error, "events");
        if (count > 0 && ready[1].revents != 0)
            break;
        if (time(NULL) < next_s && time(NULL) + WRITE_S >= next_s)
            continue;
        next_s = time(NULL) + WRITE_S;
        write_beside(watch);
        if (watch->is_moved || watch_marks_is_stale(watch->marks))
            watch_marks_again(watch->marks, &watch->conf->library_trees);
        watch->is_moved = false;
    }
    int error = read_events(watch);
    if (watch->writer != 0)
        waitpid(watch->writer, NULL, 0);
    write_uses(watch);
    return error;
}

static int open_logs(const char *path)
{
    char culprit[PATH_MAX] = "";
    int error = directory_make_all(path, 0755);
    int fd = error != 0 ? error : trusted_directory(path, TRUSTED_ALONE, culprit, sizeof culprit);
    return fd < 0 ? fail(fd, culprit[0] != '\0' ? culprit : path) : fd;
}

static int take_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigprocmask(SIG_BLOCK, &set, NULL);
    int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return fd < 0 ? fail(-errno, "signals") : fd;
}

static int get_ready(struct use_watch *watch)
{
    const struct conf *conf = watch->conf;
    ssize_t length = readlink("/proc/self/exe", watch->self, sizeof watch->self - 1);
    watch->self[length < 0 ? 0 : length] = '\0';
    watch->signals = take_signals();
    watch->directory = watch->signals < 0 ? -1 : open_logs(conf->library_use_logs);
    if (watch->directory < 0)
        return watch->signals < 0 ? watch->signals : watch->directory;
    int error = globs_read(conf->library_patterns, &watch->patterns);
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

int use_watch_run(const struct conf *conf)
{
    static struct use_watch watch;
    watch = (struct use_watch){.conf = conf, .directory = -1, .signals = -1};
    /* any user can open as often as they like */
    setpriority(PRIO_PROCESS, 0, LOWEST);
    int error = get_ready(&watch);
    if (error == 0)
        error = watch_opens(&watch);
    watch_marks_free(watch.marks);
    free(watch.processes);
    globs_free(watch.patterns);
    globs_free(watch.except);
    use_counts_clear(&watch.counts);
    if (watch.directory >= 0)
        close(watch.directory);
    if (watch.signals >= 0)
        close(watch.signals);
    return error;
}
