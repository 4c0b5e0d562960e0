/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "watch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "conf.h"
#include "directory.h"
#include "ledger.h"
#include "spool_path.h"
#include "spool_read.h"
#include "starts.h"

#define LOCK_NAME "watch.pid"

/* Opens the node's spool directory, made where it is missing (0711, as the plugin does). */
static int open_spool(const char *conf_path, const char *node)
{
    char path[PATH_MAX], text[1024];
    struct conf conf;
    struct conf_error error;
    int result = conf_load(conf_path, &conf, &error);
    if (result != 0) {
        conf_error_text(&error, text, sizeof text);
        fprintf(stderr, "jobtrail-submit: %s\n", text);
        return result;
    }
    result = spool_expand(conf.spool, node, path, sizeof path);
    conf_free(&conf);
    return result != 0 ? result : directory_make(path, 0711);
}

static void pause_ms(long ms)
{
    const struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&pause, NULL);
}

/* The pid in the lock file, which only its holder writes. */
static pid_t holder(int lock)
{
    char text[32] = "";
    if (pread(lock, text, sizeof text - 1, 0) <= 0)
        return 0;
    long pid = strtol(text, NULL, 10);
    return pid > 1 && pid <= INT_MAX ? (pid_t)pid : 0;
}

/* Ends the holder of the lock and waits for the lock, five seconds at the most. */
static int take_over(int lock)
{
    for (int i = 0; flock(lock, LOCK_EX | LOCK_NB) != 0; i++) {
        if (errno != EWOULDBLOCK)
            return -errno;
        if (i == 100)
            return -EAGAIN;
        pid_t old = holder(lock);
        if (old > 0)
            kill(old, SIGTERM);
        pause_ms(50);
    }
    return 0;
}

static int open_lock(int spool)
{
    int lock = openat(spool, LOCK_NAME, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    return lock < 0 ? -errno : lock;
}

static int lock_spool(int spool)
{
    int lock = open_lock(spool);
    int result = lock < 0 ? lock : take_over(lock);
    if (result == 0 && (ftruncate(lock, 0) != 0 || dprintf(lock, "%d\n", (int)getpid()) < 0))
        result = -EIO;
    if (result != 0 && lock >= 0)
        close(lock);
    return result != 0 ? result : lock;
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
static int drain(int pipe)
{
    char bytes[4096];
    ssize_t got, all = 0;
    while ((got = read(pipe, bytes, sizeof bytes)) > 0 && all < 1 << 20)
        all += got;
    return all > 0;
}

static void look(const char *conf_path, int spool)
{
    struct conf conf;
    struct conf_error error;
    if (conf_load(conf_path, &conf, &error) != 0)
        return; /* whoever compiles it says so */
    int result = starts_send(&conf, spool);
    if (result != 0)
        fprintf(stderr, "jobtrail-submit: no start records: %s\n", strerror(-result));
    conf_free(&conf);
}

static void watch(const char *conf_path, int spool, int pipe)
{
    struct pollfd ready = {.fd = pipe, .events = POLLIN};
    for (;;) {
        look(conf_path, spool);
        do {
            poll(&ready, 1, -1);
        } while (!drain(pipe));
        pause_ms(1000); /* what starts together is looked at together */
        drain(pipe);
    }
}

int watch_run(const char *conf_path, const char *node)
{
    int spool = open_spool(conf_path, node);
    if (spool < 0)
        return spool;
    int lock = lock_spool(spool);
    int pipe = lock < 0 ? lock : open_pipe(spool);
    if (pipe < 0)
        return pipe;
    watch(conf_path, spool, pipe); /* until SIGTERM */
    return 0;
}

int watch_stop(const char *conf_path, const char *node)
{
    int spool = open_spool(conf_path, node);
    if (spool < 0)
        return spool;
    int lock = open_lock(spool);
    int result = lock < 0 ? lock : take_over(lock);
    if (lock >= 0)
        close(lock);
    close(spool);
    return result;
}
