/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/libmon/libmon_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/ioprio.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/clocks.h"
#include "conf/base/descriptors.h"
#include "conf/base/trusted.h"
#include "contrib/libraries/libmon/libmon_patience.h"
#include "contrib/libraries/uses/use_watch.h"
#include "contrib/libraries/watch/library_watch.h"
#include "contrib/libraries/who_socket.h"

/* How often doctor's line is written, and the configuration looked at. */
enum {
    TURN_S = 10,
    AFTER_FAILURE_S = 300,
    LOCK_TRIES = 20,
    LOCK_PAUSE_NS = 100000000,
    LOWEST = 19,
    MUCH_NS = 100000000
};

struct watching {
    const struct conf *conf;
    const struct libmon_watch_calls *calls;
    struct library_watch *watch;
    int lock, asked, signals; /* descriptors */
    pid_t scan;               /* the child that scans; 0: none */
    /* The child that counts uses goes on beside, with a loop of its own: so no directory service,
     * disk or mass of opens holds the events of changes up. */
    bool has_uses;
    pid_t uses; /* 0: it does not run */
    time_t uses_not_before_s;
    uint64_t used_ns;                   /* by children, before it */
    uint64_t overruns, unwatched, lost; /* that have been reported */
    uint64_t window_ns;                 /* processor time at the begin of this second */
    time_t begin_s, window_s, turn_s;
    bool is_much, is_lowest; /* it had much to do in the second before; its priority */
};

/* ---- Trouble --------------------------------------------------------------------------------- */

static int fail(int error, const char *what, const char *why)
{
    fprintf(stderr, "jobtrail-libmon: watch: %s: %s\n", what, why);
    return error;
}

static const char *why_no_events(int error)
{
    return error == -EPERM    ? "it needs CAP_SYS_ADMIN, which containers do not have; scans work "
                                "without"
           : error == -EINVAL ? "the kernel has no names in events (before Linux 5.9); scans work "
                                "without"
           : error == -ENOSYS ? "the kernel has no fanotify; scans work without"
                              : strerror(-error);
}

/* Until when uses are reported: none are missed before the watch. 0: it does not count them. */
static int64_t uses_told(const struct watching *watching)
{
    if (!watching->has_uses)
        return 0;
    int64_t told_s = use_watch_told(watching->conf);
    return told_s > watching->begin_s ? told_s : watching->begin_s;
}

/* What changes are reported without who. Each is said when it grows. */
static void tell_state(struct watching *watching)
{
    struct library_watch_state state = {0};
    library_watch_state(watching->watch, &state);
    state.uses_s = uses_told(watching);
    library_watch_state_write(watching->lock, &state);
    if (state.overruns > watching->overruns)
        fprintf(stderr,
                "jobtrail-libmon: watch: there were more events than the kernel queues: a scan "
                "finds the changes, but not who made them\n");
    if (state.unwatched > watching->unwatched)
        fprintf(stderr,
                "jobtrail-libmon: watch: %llu directories cannot be watched: %s; scans find "
                "changes there, but not who made them\n",
                (unsigned long long)state.unwatched, strerror(state.error));
    if (state.lost > watching->lost)
        fprintf(stderr,
                "jobtrail-libmon: watch: too many files have changed: who changed %llu of them is "
                "unknown\n",
                (unsigned long long)state.lost);
    watching->overruns = state.overruns;
    watching->unwatched = state.unwatched;
    watching->lost = state.lost;
}

/* ---- Children -------------------------------------------------------------------------------- */

static void keep_uses(struct watching *watching)
{
    if (!watching->has_uses || watching->uses != 0 || time(NULL) < watching->uses_not_before_s)
        return;
    pid_t pid = libmon_fork();
    if (pid == 0)
        exit(use_watch_run(watching->conf) == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
    watching->uses = pid < 0 ? 0 : pid;
}

static void begin_scan(struct watching *watching)
{
    library_watch_begin(watching->watch);
    watching->used_ns = cpu_time_children();
    pid_t pid = libmon_fork();
    if (pid == 0) {
        setpriority(PRIO_PROCESS, 0, LOWEST);
        syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_IDLE, 0));
        exit(watching->calls->scan(watching->calls->context) ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    watching->scan = pid < 0 ? 0 : pid;
    if (pid < 0)
        library_watch_end(watching->watch, false, 0);
}

/* ---- Priority -------------------------------------------------------------------------------- */

/* A watch that reads of a command late reads nothing of it: it is over. So the watch has a plain
 * priority while it has little to do, and the lowest one as soon as it has used a tenth of a
 * second. */
static void set_priority(struct watching *watching)
{
    uint64_t used_ns = cpu_time_own();
    time_t now_s = time(NULL);
    if (watching->window_s != now_s) {
        watching->is_much = used_ns - watching->window_ns > MUCH_NS;
        watching->window_s = now_s;
        watching->window_ns = used_ns;
    }
    bool is_lowest = watching->is_much || used_ns - watching->window_ns > MUCH_NS;
    if (is_lowest != watching->is_lowest)
        setpriority(PRIO_PROCESS, 0, is_lowest ? LOWEST : 0);
    watching->is_lowest = is_lowest;
}

/* ---- The loop -------------------------------------------------------------------------------- */

static void answer(struct watching *watching)
{
    int connection = accept4(watching->asked, NULL, NULL, SOCK_CLOEXEC);
    if (connection < 0)
        return;
    library_watch_read(watching->watch);
    who_socket_answer(connection, library_watch_whos(watching->watch));
}

/* Returns whether the watch ends. */
static bool take_signal(struct watching *watching)
{
    struct signalfd_siginfo info;
    bool is_end = false;
    while (read(watching->signals, &info, sizeof info) == (ssize_t)sizeof info)
        is_end |= info.ssi_signo != SIGCHLD;
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        if (pid == watching->uses) { /* one that was killed is started again by the next turn */
            watching->uses = 0;
            watching->uses_not_before_s = time(NULL) + (WIFSIGNALED(status) ? 0 : AFTER_FAILURE_S);
        }
        if (pid != watching->scan)
            continue;
        watching->scan = 0;
        library_watch_end(watching->watch, WIFEXITED(status) && WEXITSTATUS(status) == 0,
                          (cpu_time_children() - watching->used_ns) / 1000000);
        tell_state(watching);
    }
    return is_end;
}

static int is_due_ms(const struct watching *watching)
{
    return watching->scan != 0 ? -1 : library_watch_due_ms(watching->watch);
}

static int wait_ms(const struct watching *watching)
{
    int due = is_due_ms(watching);
    return due < 0 || due > TURN_S * 1000 ? TURN_S * 1000 : due;
}

static int watch_loop(struct watching *watching)
{
    enum { EVENTS, ASKED, SIGNALS, WAITS };
    struct pollfd ready[WAITS] = {
        [EVENTS] = {.fd = library_watch_fd(watching->watch), .events = POLLIN},
        [ASKED] = {.fd = watching->asked, .events = POLLIN},
        [SIGNALS] = {.fd = watching->signals, .events = POLLIN},
    };
    for (;;) {
        int count = poll(ready, WAITS, wait_ms(watching));
        set_priority(watching);
        if (count > 0 && ready[EVENTS].revents != 0) {
            int error = library_watch_read(watching->watch);
            if (error != 0)
                return fail(error, "events", strerror(-error));
        }
        if (count > 0 && ready[ASKED].revents != 0)
            answer(watching);
        if (count > 0 && ready[SIGNALS].revents != 0 && take_signal(watching))
            return 0;
        if (time(NULL) - watching->turn_s >= TURN_S || time(NULL) < watching->turn_s) {
            watching->turn_s = time(NULL);
            tell_state(watching);
            keep_uses(watching);
            if (watching->calls->is_other(watching->calls->context))
                return 1;
        }
        if (is_due_ms(watching) == 0)
            begin_scan(watching);
    }
}

/* ---- Begin and end --------------------------------------------------------------------------- */

static int open_state(const char *path)
{
    char culprit[PATH_MAX];
    int fd = trusted_directory_make(path, 0700, culprit, sizeof culprit);
    if (fd == -EPERM && culprit[0] != '\0')
        return fail(fd, culprit, "others than root can change it");
    return fd < 0 ? fail(fd, path, strerror(-fd)) : fd;
}

/* Of fcntl(2): no child inherits it. */
static int take_lock(int state)
{
    int fd = openat(state, LIBRARY_WATCH_LOCK, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return fail(-errno, LIBRARY_WATCH_LOCK, strerror(errno));
    int error = -EWOULDBLOCK;
    for (int i = 0; i < LOCK_TRIES && error == -EWOULDBLOCK; i++) { /* one that is ending */
        struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        const struct timespec pause = {.tv_nsec = LOCK_PAUSE_NS};
        if (i > 0)
            nanosleep(&pause, NULL);
        if (fcntl(fd, F_SETLK, &whole) == 0)
            return fd;
        error = errno == EACCES || errno == EAGAIN ? -EWOULDBLOCK : -errno;
    }
    close(fd);
    return error == -EWOULDBLOCK
               ? fail(error, "another one runs",
                      "the process watch (jobtrail-submit watch) does it where it runs")
               : fail(error, LIBRARY_WATCH_LOCK, strerror(-error));
}

static int begin_watch(struct watching *watching, int state)
{
    int error = library_watch_new(watching->conf, &watching->watch);
    if (error != 0)
        return fail(error, "fanotify", why_no_events(error));
    watching->asked = who_socket_listen(state);
    return watching->asked < 0 ? fail(watching->asked, WHO_SOCKET, strerror(-watching->asked)) : 0;
}

static int get_ready(struct watching *watching, int state)
{
    watching->lock = take_lock(state);
    if (watching->lock < 0)
        return watching->lock;
    const int children = SIGCHLD;
    watching->signals = signal_fd(&children, 1);
    if (watching->signals < 0)
        return fail(watching->signals, "signals", strerror(-watching->signals));
    int error = begin_watch(watching, state);
    if (error != 0)
        return error;
    watching->has_uses =
        watching->conf->library_use_logs[0] != '\0' || watching->conf->library_use_records;
    tell_state(watching);
    keep_uses(watching);
    return 0;
}

int libmon_watch(const struct conf *conf, const struct libmon_watch_calls *calls)
{
    struct watching watching = {.conf = conf,
                                .calls = calls,
                                .lock = -1,
                                .asked = -1,
                                .signals = -1,
                                .begin_s = time(NULL)};
    CLEANUP_CLOSE int state = open_state(conf->library_state);
    int error = state < 0 ? state : get_ready(&watching, state);
    if (error == 0)
        error = watch_loop(&watching); /* 1 is none */
    if (watching.scan != 0)
        kill(watching.scan, SIGTERM);
    if (watching.uses != 0) { /* what it has to write comes before others begin */
        kill(watching.uses, SIGTERM);
        waitpid(watching.uses, NULL, 0);
    }
    library_watch_free(watching.watch);
    const int fds[] = {watching.asked, watching.signals, watching.lock};
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    return error;
}
