// SPDX-License-Identifier: LGPL-2.1-or-later
// Prints what the kernel tells of processes (the process connector) until it gets SIGTERM:
//
//   exec PID SECONDS     the process runs another program
//   exit PID SECONDS     its last thread has ended
//
// The times are the kernel's, since the Epoch. The status is 1 where the kernel tells nothing, and
// 2 where events were lost.
#include <errno.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t is_over;

static void on_signal(int number)
{
    (void)number;
    is_over = 1;
}

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* How much later CLOCK_REALTIME is than CLOCK_MONOTONIC, exact to 20 us. */
static int64_t offset_ns(void)
{
    for (;;) {
        int64_t before = clock_ns(CLOCK_MONOTONIC), real = clock_ns(CLOCK_REALTIME);
        int64_t after = clock_ns(CLOCK_MONOTONIC);
        if (after - before < 20000)
            return real - (before + after) / 2;
    }
}

static int subscribe(int fd)
{
    struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = CN_IDX_PROC};
    const int room = 64 << 20;
    _Alignas(struct nlmsghdr) char bytes[NLMSG_SPACE(sizeof(struct cn_msg) + sizeof(int))] = "";
    struct nlmsghdr *head = (struct nlmsghdr *)bytes;
    struct cn_msg *message = NLMSG_DATA(head);
    const enum proc_cn_mcast_op op = PROC_CN_MCAST_LISTEN;
    *head = (struct nlmsghdr){.nlmsg_len = NLMSG_LENGTH(sizeof *message + sizeof op),
                              .nlmsg_type = NLMSG_DONE};
    message->id = (struct cb_id){CN_IDX_PROC, CN_VAL_PROC};
    message->len = sizeof op;
    memcpy(message->data, &op, sizeof op);
    setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room);
    return bind(fd, (struct sockaddr *)&address, sizeof address) != 0 ||
                   send(fd, head, head->nlmsg_len, 0) < 0
               ? -1
               : 0;
}

static void print_event(const struct proc_event *event)
{
    int64_t time = (int64_t)event->timestamp_ns + offset_ns();
    const char *what = event->what == PROC_EVENT_EXEC ? "exec" : "exit";
    int pid = event->what == PROC_EVENT_EXEC ? event->event_data.exec.process_tgid
                                             : event->event_data.exit.process_tgid;
    if (event->what == PROC_EVENT_EXEC ||
        (event->what == PROC_EVENT_EXIT && event->event_data.exit.process_pid == pid))
        printf("%s %d %lld.%09lld\n", what, pid, (long long)(time / 1000000000),
               (long long)(time % 1000000000));
}

int main(void)
{
    const struct sigaction action = {.sa_handler = on_signal};
    int fd = socket(PF_NETLINK, SOCK_DGRAM, NETLINK_CONNECTOR);
    sigaction(SIGTERM, &action, NULL);
    if (fd < 0 || subscribe(fd) != 0)
        return 1;
    while (!is_over) {
        _Alignas(struct nlmsghdr) char bytes[4096];
        ssize_t got = recv(fd, bytes, sizeof bytes, 0);
        if (got < 0 && errno == ENOBUFS)
            return 2;
        if (got < (ssize_t)NLMSG_LENGTH(sizeof(struct cn_msg) + sizeof(struct proc_event)))
            continue;
        const struct cn_msg *message = NLMSG_DATA((struct nlmsghdr *)bytes);
        print_event((const struct proc_event *)message->data);
        fflush(stdout);
    }
    return 0;
}
