// SPDX-License-Identifier: LGPL-2.1-or-later
// witness SOCKET: sees when programs end, or become others, that have connected to the socket
// (tell_witness.h). For each it prints a line, until it gets SIGTERM:
//
//   exec PID BEFORE AFTER     it became another program between these times
//   exit PID BEFORE AFTER     it ended between them
//
// Times are seconds since the Epoch. BEFORE is the program's own time right before. AFTER is that
// at which the witness learned that the kernel has closed the connection, or, of an end, that the
// process is dead (pidfd_open(2)). The kernel's process connector would say it more precisely, but
// in the first pid namespace alone.
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { CONNECTIONS = 4096 };

static struct program {
    char what[5];
    struct timespec before;
    int connection;      // of a pidfd; 0: it is none
    int process;         // of a connection: the pidfd; 0: none
} programs[CONNECTIONS]; // by descriptor

static volatile sig_atomic_t is_over;

static void on_signal(int number)
{
    (void)number;
    is_over = 1;
}

static bool listen_at(int fd, const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    return bind(fd, (const struct sockaddr *)&address, sizeof address) == 0 &&
           listen(fd, CONNECTIONS) == 0;
}

static bool add(int poll, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    if (fd < 0 || fd >= CONNECTIONS)
        return false;
    programs[fd] = (struct program){0};
    return epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event) == 0;
}

static pid_t pid_of(int fd)
{
    struct ucred peer = {.pid = 0};
    socklen_t size = sizeof peer;
    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size);
    return peer.pid;
}

// Takes one message of a connection. Returns false where it is closed.
static bool take(int poll, int fd, int flags)
{
    union {
        char what[4];
        struct timespec before;
    } message;
    ssize_t got = recv(fd, &message, sizeof message, flags);
    if (got == sizeof message.before) {
        programs[fd].before = message.before;
    } else if (got == sizeof message.what) {
        memcpy(programs[fd].what, message.what, sizeof message.what);
        int process = strcmp(programs[fd].what, "exit") == 0
                          ? (int)syscall(SYS_pidfd_open, pid_of(fd), 0)
                          : -1; // it was waited for before we came here
        if (process >= 0 && add(poll, process)) {
            programs[process].connection = fd;
            programs[fd].process = process;
        }
    }
    return got > 0;
}

static void look_at(int poll, int fd)
{
    int connection = programs[fd].connection;
    struct timespec after;
    clock_gettime(CLOCK_REALTIME, &after);
    if (connection == 0) {
        if (take(poll, fd, 0))
            return;
        epoll_ctl(poll, EPOLL_CTL_DEL, fd, NULL);
        if (programs[fd].process != 0)
            return; // it may not be dead yet
        connection = fd;
    } else {
        while (take(poll, connection, MSG_DONTWAIT))
            continue;
        programs[fd].connection = 0;
        close(fd);
    }
    const struct timespec *before = &programs[connection].before;
    if (programs[connection].what[0] != '\0') // else it was killed before it said so
        printf("%s %d %lld.%09ld %lld.%09ld\n", programs[connection].what, (int)pid_of(connection),
               (long long)before->tv_sec, before->tv_nsec, (long long)after.tv_sec, after.tv_nsec);
    close(connection);
}

int main(int argc, char **argv)
{
    const struct sigaction action = {.sa_handler = on_signal};
    const struct rlimit files = {CONNECTIONS, CONNECTIONS};
    int poll = epoll_create1(0), door = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    sigset_t none, end;
    sigemptyset(&none);
    sigemptyset(&end);
    sigaddset(&end, SIGTERM);
    sigprocmask(SIG_BLOCK, &end, NULL); // but while it waits
    sigaction(SIGTERM, &action, NULL);
    if (argc != 2 || setrlimit(RLIMIT_NOFILE, &files) != 0 || !listen_at(door, argv[1]) ||
        !add(poll, door))
        return 1;
    while (!is_over) {
        struct epoll_event event;
        if (epoll_pwait(poll, &event, 1, -1, &none) != 1)
            continue;
        if (event.data.fd != door)
            look_at(poll, event.data.fd);
        else if (!add(poll, accept(door, NULL, NULL)))
            return 1;
    }
    return fflush(stdout) == 0 ? 0 : 1;
}
