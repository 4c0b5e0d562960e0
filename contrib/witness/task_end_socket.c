/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/witness/task_end_socket.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* ANSWER_MS: the kernel answers at once. DATAGRAM: a message has some 500 bytes. */
enum { ANSWER_MS = 5000, DATAGRAM = 16384, TEXT_MAX = 64 };

/* A request of generic netlink with one attribute that is a text. */
struct request {
    struct nlmsghdr head;
    struct genlmsghdr generic;
    struct nlattr attribute;
    char text[TEXT_MAX];
};

static int send_request(int fd, uint16_t family, uint8_t command, uint16_t attribute,
                        const char *text)
{
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    struct request request = {
        .head = {.nlmsg_type = family, .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK},
        .generic = {.cmd = command, .version = 1},
    };
    size_t size = strlen(text) + 1;
    memcpy(request.text, text, size);
    request.attribute = (struct nlattr){(uint16_t)(sizeof request.attribute + size), attribute};
    request.head.nlmsg_len = (uint32_t)(offsetof(struct request, text) + NLMSG_ALIGN(size));
    ssize_t sent =
        sendto(fd, &request, request.head.nlmsg_len, 0, (struct sockaddr *)&kernel, sizeof kernel);
    return sent < 0 ? -errno : 0;
}

/* The number of the family, in an answer to CTRL_CMD_GETFAMILY; 0: it has none. */
static uint16_t family_of(const unsigned char *body, size_t size)
{
    size_t at = sizeof(struct genlmsghdr);
    struct nlattr head;
    uint16_t number = 0;
    while (at + sizeof head <= size) {
        memcpy(&head, body + at, sizeof head);
        if (head.nla_len < sizeof head || head.nla_len > size - at)
            return 0;
        if (head.nla_type == CTRL_ATTR_FAMILY_ID && head.nla_len >= sizeof head + sizeof number)
            memcpy(&number, body + at + sizeof head, sizeof number);
        at += (size_t)NLA_ALIGN(head.nla_len);
    }
    return number;
}

/* Looks through the messages of a datagram. Returns whether the kernel has confirmed the request or
 * refused it: then with its -errno in `*error`. */
static bool find_answer(const unsigned char *bytes, size_t size, uint16_t *family, int *error)
{
    struct nlmsghdr head;
    for (size_t at = 0; at + sizeof head <= size;) {
        memcpy(&head, bytes + at, sizeof head);
        if (head.nlmsg_len < sizeof head || head.nlmsg_len > size - at)
            return false;
        const unsigned char *body = bytes + at + sizeof head;
        size_t body_size = head.nlmsg_len - sizeof head;
        if (head.nlmsg_type == NLMSG_ERROR && body_size >= sizeof *error) {
            memcpy(error, body, sizeof *error);
            return true;
        }
        if (head.nlmsg_type == GENL_ID_CTRL && family != NULL)
            *family = family_of(body, body_size);
        at += NLMSG_ALIGN((size_t)head.nlmsg_len);
    }
    return false;
}

/* Ends of threads that come before the answer are dropped. */
static int take_answer(int fd, uint16_t *family)
{
    unsigned char bytes[DATAGRAM];
    for (;;) {
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        int error = 0;
        if (poll(&ready, 1, ANSWER_MS) <= 0)
            return -ETIMEDOUT;
        ssize_t got = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
        if (got < 0 && errno != ENOBUFS)
            return -errno;
        if (got > 0 && find_answer(bytes, (size_t)got, family, &error))
            return error;
    }
}

static int join(int fd)
{
    uint16_t family = 0;
    char cpus[TEXT_MAX];
    int error = send_request(fd, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME,
                             TASKSTATS_GENL_NAME);
    if (error == 0)
        error = take_answer(fd, &family);
    if (error != 0)
        return error;
    if (family == 0)
        return -ENOENT;
    snprintf(cpus, sizeof cpus, "0-%ld", sysconf(_SC_NPROCESSORS_CONF) - 1);
    error = send_request(fd, family, TASKSTATS_CMD_GET, TASKSTATS_CMD_ATTR_REGISTER_CPUMASK, cpus);
    return error != 0 ? error : take_answer(fd, NULL);
}

int task_end_socket_read(int fd, unsigned most,
                         void (*take)(void *context, const struct task_end *end), void *context,
                         uint64_t *overruns)
{
    unsigned char bytes[DATAGRAM];
    int result = 0;
    for (unsigned i = 0; i < most && result != -ENOTSUP; i++) {
        struct sockaddr_nl sender = {0};
        socklen_t length = sizeof sender;
        ssize_t got =
            recvfrom(fd, bytes, sizeof bytes, MSG_DONTWAIT, (struct sockaddr *)&sender, &length);
        if (got < 0 && errno == ENOBUFS)
            ++*overruns;
        else if (got < 0)
            return errno == EAGAIN ? 0 : -errno;
        if (got <= 0 || sender.nl_pid != 0) /* 0 is the kernel */
            continue;
        const unsigned char *left = bytes;
        for (size_t size = (size_t)got; size > 0 && result != -ENOTSUP;) {
            struct task_end end;
            result = task_end_read(&left, &size, &end);
            if (result == 1)
                take(context, &end);
        }
    }
    return result == -ENOTSUP ? -ENOTSUP : 1;
}

struct trial {
    pid_t pid;
    bool is_told;
};

static void take_trial(void *context, const struct task_end *end)
{
    struct trial *trial = context;
    trial->is_told |= end->pid == trial->pid;
}

/* In another network namespace the kernel takes the listener's name, and sends nothing. What it
 * sends of a child is there when that can be waited for. */
static int try_out(int fd)
{
    struct trial trial = {.pid = fork()};
    uint64_t overruns = 0;
    int result = 1;
    if (trial.pid < 0)
        return -errno;
    if (trial.pid == 0)
        _exit(0);
    waitpid(trial.pid, NULL, 0);
    while (result == 1 && !trial.is_told)
        result = task_end_socket_read(fd, 1, take_trial, &trial, &overruns);
    return result < 0 ? result : trial.is_told ? 0 : -EXDEV;
}

int task_end_socket_open(void)
{
    const int room = TASK_END_SOCKET_BYTES / 2; /* the kernel doubles it (socket(7)) */
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_GENERIC);
    if (fd < 0)
        return -errno;
    int error = setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room) != 0 ? -errno : 0;
    if (error == 0)
        error = join(fd);
    if (error == 0)
        error = try_out(fd);
    if (error == 0)
        return fd;
    close(fd);
    return error;
}
