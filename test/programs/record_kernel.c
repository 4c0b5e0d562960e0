// SPDX-License-Identifier: LGPL-2.1-or-later
// Records what the kernel reports of a command and of all that it starts, for tests that play it:
//
//   record_kernel DIRECTORY COMMAND [ARGUMENT...]
//
// Writes DIRECTORY/events (records of perf events) and DIRECTORY/ends (messages of taskstats), as
// the kernel gave them, without those of other processes. Prints the pid of the command. Needs root
// in the first pid and network namespace.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "contrib/witness/kernel_rings.h"
#include "contrib/witness/task_end.h"

enum { PIDS = 1 << 22, SETTLE_NS = 50000000 };

static unsigned char is_ours[PIDS];

static FILE *open_output(const char *directory, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "we");
    if (file == NULL) {
        perror(path);
        exit(1);
    }
    return file;
}

static void take_event(void *context, const struct kernel_event *event)
{
    if (event->pid <= 0 || event->pid >= PIDS || event->parent < 0 || event->parent >= PIDS)
        return;
    if (event->kind == KERNEL_EVENT_FORK)
        is_ours[event->pid] = is_ours[event->parent];
    if (is_ours[event->pid] && event->pid != getpid())
        fwrite(event->bytes, 1, event->size, context);
}

static void write_ends(int fd, FILE *file)
{
    unsigned char bytes[16384];
    for (ssize_t got; (got = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT)) > 0;) {
        const unsigned char *left = bytes;
        size_t size = (size_t)got;
        struct task_end end;
        if (task_end_read(&left, &size, &end) == 1 && end.pid > 0 && end.pid < PIDS &&
            is_ours[end.pid])
            fwrite(bytes, 1, (size_t)got, file);
    }
}

int main(int argc, char **argv)
{
    struct kernel_rings *rings;
    int status, ends = task_end_socket_open();
    if (argc < 3)
        return 2;
    if (ends < 0 || kernel_rings_open(true, &rings) != 0) {
        fputs("record_kernel: the kernel does not tell\n", stderr);
        return 1;
    }
    FILE *event_file = open_output(argv[1], "events"), *end_file = open_output(argv[1], "ends");
    is_ours[getpid()] = 1;
    pid_t pid = fork();
    if (pid == 0) {
        execv(argv[2], argv + 2);
        _exit(127);
    }
    waitpid(pid, &status, 0);
    nanosleep(&(struct timespec){.tv_nsec = SETTLE_NS}, NULL);
    kernel_rings_read(rings, UINT64_MAX, take_event, event_file);
    write_ends(ends, end_file);
    kernel_rings_free(rings);
    printf("%d\n", pid);
    return fclose(event_file) != 0 || fclose(end_file) != 0;
}
