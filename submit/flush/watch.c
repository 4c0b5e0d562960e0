/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/clocks.h"
#include "conf/base/days.h"
#include "conf/base/stderr_or_syslog.h"
#include "conf/conf.h"
#include "preload/ledger.h"
#include "spank/spool_path.h"
#include "submit/flush/process_look.h"
#include "submit/flush/start_records.h"
#include "submit/flush/watch_child.h"
#include "submit/job/spool_read.h"

/* Opens the node's spool directory; where it is to be `made`, also one that is missing. */
static int open_spool(const char *conf_path, const char *node, int made)
{
    char path[PATH_MAX], text[1024];
    struct conf conf;
    struct conf_error error;
    int result = conf_load_trusted(conf_path, &conf, &error);
    if (result != 0) {
        conf_error_text(&error, text, sizeof text);
        fprintf(stderr, "jobtrail-submit: %s\n", text);
        return result;
    }
    result = spool_expand(conf.spool, node, path, sizeof path);
    if (result == 0)
        result = made ? spool_node_make(path, conf.mount != CONF_MOUNT_NO) : spool_open_node(path);
    conf_free(&conf);
    return result;
}

static void pause_ms(long ms)
{
    const struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&pause, NULL);
}

/* Takes the lock on the file `lock` (fcntl(2): it goes with the process, no child inherits it, and
 * the kernel says who has it). Ends the holder and waits for it, five seconds at the most. */
static int take_over(int lock)
{
    for (int i = 0; i < 100; i++) {
        struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        if (fcntl(lock, F_SETLK, &whole) == 0)
            return 0;
        if (errno != EACCES && errno != EAGAIN)
            return -errno;
        if (fcntl(lock, F_GETLK, &whole) == 0 && whole.l_type != F_UNLCK && whole.l_pid > 1)
            kill(whole.l_pid, SIGTERM);
        pause_ms(50);
    }
    return -EAGAIN;
}

static int open_lock(int spool, int flags)
{
    int lock = openat(spool, SPOOL_WATCH_LOCK, O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
    return lock < 0 ? -errno : lock;
}

/* Opened for writing too, so that it never ends. Everybody may write to it. */
static int open_pipe(int spool)
{
    struct stat status;
    if (mkfifoat(spool, LEDGER_WAKE, 0600) != 0 && errno != EEXIST)
        return -errno;
    int fd = openat(spool, LEDGER_WAKE, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return -errno;
    if (fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode) && fchmod(fd, 0622) == 0)
        return fd;
    close(fd);
    return -EINVAL;
}

/* Empties the pipe. Returns whether there was anything in it. */
static int drain_pipe(int pipe)
{
    char bytes[4096];
    ssize_t got, all = 0;
    while ((got = read(pipe, bytes, sizeof bytes)) > 0 && all < 1 << 20)
        all += got;
    return all > 0;
}

/* What a look is for. */
enum look_for { LOOK_FOR_STARTS, LOOK_FOR_PROCESSES };

static void look_at_jobs(const char *conf_path, int spool, enum look_for what)
{
    struct conf conf;
    struct conf_error error;
    if (conf_load_trusted(conf_path, &conf, &error) != 0)
        return; /* its compilation says so */
    days_use_zone(conf.timezone);
    int result =
        what == LOOK_FOR_STARTS ? start_records_send(&conf, spool) : process_look(&conf, spool);
    if (result != 0)
        fprintf(stderr, "jobtrail-submit: %s: %s\n",
                what == LOOK_FOR_STARTS ? "no start records" : "processes are not looked at",
                strerror(-result));
    conf_free(&conf);
}

/* After a look for starts there is none for so many times what it has used of processors. So these
 * looks use a twentieth of one, whatever comes by the pipe and whatever the ledgers hold. Looks at
 * processes have other bounds (process_look.h), and go on meanwhile. */
enum { REST = 20 };

static uint64_t used_ns(void)
{
    return cpu_time_own() + cpu_time_children();
}

/* Returns the end of the rest, of CLOCK_MONOTONIC. */
static uint64_t look_for_starts(const char *conf_path, int spool)
{
    uint64_t before = used_ns();
    look_at_jobs(conf_path, spool, LOOK_FOR_STARTS);
    return clock_deadline((used_ns() - before) * REST / 1000000u);
}

/* Only the process watch that goes on without jobs does, of the newest version. */
static void keep_children(const char *conf_path, const char *node)
{
    struct conf conf;
    struct conf_error error;
    if (conf_load_trusted(conf_path, &conf, &error) != 0)
        return;
    for (size_t i = 0; watch_children[i] != NULL; i++)
        watch_children[i]->keep(conf_path, node, &conf);
    conf_free(&conf);
}

static bool has_jobs(int spool)
{
    struct spool_jobs jobs = {NULL, 0};
    bool has = spool_list(spool, 0, &jobs) != 0 || jobs.count > 0;
    free(jobs.job);
    return has;
}

/* Waits for the pipe, where there is no rest, or for a child to end, as the witness, whose end
 * blinds all jobs. Returns whether one has: it is started again at once, but only once until the
 * next turn, as it may end whenever it begins. */
static bool wait_for_events(int pipe, bool is_resting, bool may_start, unsigned left_ms)
{
    struct pollfd ready[WATCH_CHILDREN_MOST + 1];
    nfds_t count = 0;
    bool has_ended = false;
    for (; watch_children[count] != NULL; count++)
        ready[count] = (struct pollfd){.fd = may_start ? watch_children[count]->ended() : -1,
                                       .events = POLLIN};
    ready[count] = (struct pollfd){.fd = is_resting ? -1 : pipe, .events = POLLIN};
    poll(ready, count + 1, (int)left_ms);
    for (nfds_t i = 0; i < count; i++)
        has_ended |= (ready[i].revents & POLLIN) != 0;
    return has_ended;
}

static void watch_pipe(const char *conf_path, const char *node, int spool, int pipe,
                       bool ends_with_jobs)
{
    bool may_start = false;
    uint64_t turn_ns = 0; /* of processes; CLOCK_MONOTONIC */
    uint64_t rest_ns = look_for_starts(conf_path, spool);
    for (;;) {
        if (clock_left_ms(turn_ns) == 0) {
            if (ends_with_jobs && !has_jobs(spool))
                return;
            if (!ends_with_jobs)
                keep_children(conf_path, node);
            may_start = !ends_with_jobs;
            turn_ns = clock_deadline(PROCESS_LOOK_S * UINT64_C(1000));
            look_at_jobs(conf_path, spool, LOOK_FOR_PROCESSES);
        }
        unsigned turn_ms = clock_left_ms(turn_ns), rest_ms = clock_left_ms(rest_ns);
        bool is_resting = rest_ms > 0;
        if (wait_for_events(pipe, is_resting, may_start,
                            is_resting && rest_ms < turn_ms ? rest_ms : turn_ms)) {
            may_start = false;
            keep_children(conf_path, node);
        }
        if (is_resting || !drain_pipe(pipe))
            continue;
        pause_ms(1000); /* what starts together is looked at together */
        drain_pipe(pipe);
        rest_ns = look_for_starts(conf_path, spool);
    }
}

/* The parent returns from here when the child, of another session, watches or has failed: with what
 * the child reports. The child goes on with the descriptor to report to. */
static int go_to_background(int *report)
{
    int fds[2], result = -EPROTO;
    if (pipe2(fds, O_CLOEXEC) != 0)
        return -errno;
    pid_t pid = fork();
    if (pid < 0)
        return -errno;
    if (pid == 0) {
        setsid();
        close(fds[0]);
        *report = fds[1];
        return 0;
    }
    close(fds[1]);
    if (read(fds[0], &result, sizeof result) != (ssize_t)sizeof result)
        result = -EPROTO;
    _exit(result == 0 ? 0 : EXIT_FAILURE);
}

/* The lock is held until the end. The pid in its file is for people. */
static int get_ready(const char *conf_path, const char *node, int *spool, int *pipe)
{
    *spool = open_spool(conf_path, node, 1);
    if (*spool < 0)
        return *spool;
    int lock = open_lock(*spool, O_CREAT);
    int error = lock < 0 ? lock : take_over(lock);
    if (error == 0 && (ftruncate(lock, 0) != 0 || dprintf(lock, "%d\n", (int)getpid()) < 0))
        error = -EIO;
    if (error == 0) {
        *pipe = open_pipe(*spool);
        error = *pipe < 0 ? *pipe : 0;
    }
    return error;
}

/* Leaves the starter's descriptors, who waits for their end. */
static void let_go(int report, int error)
{
    if (report < 0)
        return;
    if (write(report, &error, sizeof error) < 0 || error != 0)
        return;
    close(report);
    stderr_or_syslog_switch();
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; null >= 0 && fd <= 2; fd++)
        dup2(null, fd);
}

int watch_run(const char *conf_path, const char *node, bool in_background, bool ends_with_jobs)
{
    int spool = -1, pipe = -1, report = -1;
    int error = in_background ? go_to_background(&report) : 0;
    if (error != 0)
        return error;
    error = get_ready(conf_path, node, &spool, &pipe);
    if (error != 0)
        fprintf(stderr, "jobtrail-submit: watch: %s\n", strerror(-error));
    let_go(report, error);
    if (error == 0)
        watch_pipe(conf_path, node, spool, pipe, ends_with_jobs); /* until SIGTERM */
    return error;
}

int watch_look(const char *conf_path, const char *node)
{
    int spool = open_spool(conf_path, node, 0);
    if (spool < 0)
        return spool == -ENOENT ? 0 : spool;
    look_at_jobs(conf_path, spool, LOOK_FOR_PROCESSES);
    close(spool);
    return 0;
}

int watch_stop(const char *conf_path, const char *node)
{
    int spool = open_spool(conf_path, node, 0);
    if (spool < 0)
        return spool == -ENOENT ? 0 : spool;
    int lock = open_lock(spool, 0);
    int error = lock < 0 ? lock : take_over(lock);
    if (lock >= 0)
        close(lock);
    close(spool);
    return error == -ENOENT ? 0 : error;
}
