/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "spank/helper.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/clocks.h"

const char *plugin_path(void)
{
    Dl_info own;
    return dladdr((void *)(uintptr_t)plugin_path, &own) == 0 ? NULL : own.dli_fname;
}

int helper_path(const char *name, char *path, size_t size)
{
    const char *own = plugin_path();
    if (own == NULL || own[0] != '/')
        return -ENOENT;
    int length = snprintf(path, size, "%.*s/%s/%s", (int)(strrchr(own, '/') - own), own,
                          JOBTRAIL_BIN_FROM_PLUGIN, name);
    return length < 0 || (size_t)length >= size ? -ENAMETOOLONG : 0;
}

static int helper_spawn(const char *const argv[], int message_fd, pid_t *pid)
{
    char path[] = "PATH=/usr/sbin:/usr/bin:/sbin:/bin", lang[] = "LANG=C.UTF-8";
    char *const environment[] = {path, lang, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;

    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_RESETIDS | /* as_root.h */
                                              POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK |
                                              POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, message_fd, 2); /* first: it may be 0 or 1 itself */
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclosefrom_np(&files, 3); /* Slurm's own, sockets and pipes */
    int error =
        posix_spawn(pid, argv[0], &files, &attributes, (char *const *)(uintptr_t)argv, environment);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    return -error;
}

/* Reads `fd` until the program ends and so closes it; keeps the first bytes. */
static void read_message(int fd, int64_t deadline, char *message, size_t size)
{
    size_t used = 0;
    for (;;) {
        char rest[256];
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        int64_t left = deadline - (int64_t)clock_ms();
        int polled = left > 0 ? poll(&ready, 1, (int)left) : 0;
        if (polled < 0 && errno == EINTR)
            continue;
        if (polled <= 0)
            break;
        int keep = used < size - 1;
        ssize_t got =
            keep ? read(fd, message + used, size - 1 - used) : read(fd, rest, sizeof rest);
        if (got <= 0)
            break;
        if (keep)
            used += (size_t)got;
    }
    while (used > 0 && message[used - 1] == '\n')
        used--;
    message[used] = '\0';
}

static bool wait_until(pid_t pid, int64_t deadline, int *status)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    for (;;) {
        pid_t got = waitpid(pid, status, WNOHANG);
        if (got == pid)
            return true;
        if ((got < 0 && errno != EINTR) || (int64_t)clock_ms() >= deadline)
            return false;
        nanosleep(&pause, NULL);
    }
}

int helper_run(const char *const argv[], unsigned timeout_s, struct helper_result *result)
{
    int pipe_fds[2];
    pid_t pid;
    if (pipe2(pipe_fds, O_CLOEXEC) != 0)
        return -errno;
    int error = helper_spawn(argv, pipe_fds[1], &pid);
    close(pipe_fds[1]);
    if (error == 0) {
        int64_t deadline = (int64_t)clock_ms() + (int64_t)timeout_s * 1000;
        read_message(pipe_fds[0], deadline, result->message, sizeof result->message);
        result->is_finished = wait_until(pid, deadline, &result->status);
    }
    close(pipe_fds[0]);
    return error;
}

void helper_why(const struct helper_result *result, char *text, size_t size)
{
    const char *separator = result->message[0] == '\0' ? "" : ": ";
    if (WIFSIGNALED(result->status))
        snprintf(text, size, "ended by signal %d (%s)%s%s", WTERMSIG(result->status),
                 strsignal(WTERMSIG(result->status)), separator, result->message);
    else if (result->message[0] == '\0')
        snprintf(text, size, "exit status %d", WEXITSTATUS(result->status));
    else
        snprintf(text, size, "%s", result->message);
}
