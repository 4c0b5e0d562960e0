/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/witness/task_end.h"

#include <errno.h>
#include <linux/acct.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* What these headers lack where they are older than the kernel of TASK_END_VERSION. */
#ifndef AGROUP
#define AGROUP 0x20
#endif
enum {
    AT_TGID = 368,
    AT_GROUP_US = 376,
    AT_DEVICE = 384,
    AT_INODE = 392,
    STATS_SIZE = 400, /* to the end of the inode */
};
#if TASKSTATS_VERSION >= 12
_Static_assert(offsetof(struct taskstats, ac_tgid) == AT_TGID, "the thread group");
_Static_assert(offsetof(struct taskstats, ac_tgetime) == AT_GROUP_US, "its time");
_Static_assert(offsetof(struct taskstats, ac_exe_dev) == AT_DEVICE, "the executable's device");
_Static_assert(offsetof(struct taskstats, ac_exe_inode) == AT_INODE, "its inode");
#endif

static uint64_t number64(const unsigned char *stats, size_t at)
{
    uint64_t number;
    memcpy(&number, stats + at, sizeof number);
    return number;
}

static uint32_t number32(const unsigned char *stats, size_t at)
{
    uint32_t number;
    memcpy(&number, stats + at, sizeof number);
    return number;
}

#define NUMBER64(member) number64(stats, offsetof(struct taskstats, member))
#define NUMBER32(member) number32(stats, offsetof(struct taskstats, member))

static int take_stats(const unsigned char *stats, size_t size, struct task_end *end)
{
    uint16_t version;
    if (size < sizeof version)
        return -EINVAL;
    memcpy(&version, stats, sizeof version);
    if (version < TASK_END_VERSION)
        return -ENOTSUP;
    if (size < STATS_SIZE)
        return -EINVAL;
    *end = (struct task_end){
        .pid = (int32_t)number32(stats, AT_TGID),
        .tid = (int32_t)NUMBER32(ac_pid),
        .is_last = (stats[offsetof(struct taskstats, ac_flag)] & AGROUP) != 0,
        .uid = NUMBER32(ac_uid),
        .status = (int)NUMBER32(ac_exitcode),
        .process_us = number64(stats, AT_GROUP_US),
        .run_ns = NUMBER64(cpu_run_virtual_total),
        .user_us = NUMBER64(ac_utime),
        .system_us = NUMBER64(ac_stime),
        .peak_kib = NUMBER64(hiwater_rss),
        .read_bytes = NUMBER64(read_bytes),
        .write_bytes = NUMBER64(write_bytes),
        .major_faults = NUMBER64(ac_majflt),
        .device = number64(stats, AT_DEVICE),
        .inode = number64(stats, AT_INODE),
    };
    return 1;
}

/* Takes one attribute off the front of `*bytes`. Returns its type without flags; 0 where there is
 * no more; -EINVAL. */
static int take_attribute(const unsigned char **bytes, size_t *size, const unsigned char **value,
                          size_t *value_size)
{
    struct nlattr head;
    if (*size < sizeof head)
        return 0;
    memcpy(&head, *bytes, sizeof head);
    if (head.nla_len < sizeof head || head.nla_len > *size)
        return -EINVAL;
    size_t whole = NLA_ALIGN(head.nla_len);
    *value = *bytes + sizeof head;
    *value_size = head.nla_len - sizeof head;
    whole = whole > *size ? *size : whole;
    *bytes += whole;
    *size -= whole;
    return head.nla_type & NLA_TYPE_MASK;
}

/* The value of the first attribute of the type. Returns 1; 0 where there is none; -EINVAL. */
static int find_attribute(const unsigned char *bytes, size_t size, int type,
                          const unsigned char **value, size_t *value_size)
{
    int found;
    while ((found = take_attribute(&bytes, &size, value, value_size)) > 0)
        if (found == type)
            return 1;
    return found;
}

static int take_task(const unsigned char *body, size_t size, struct task_end *end)
{
    struct genlmsghdr head;
    const unsigned char *task, *stats;
    size_t task_size, stats_size;
    if (size < sizeof head)
        return -EINVAL;
    memcpy(&head, body, sizeof head);
    if (head.cmd != TASKSTATS_CMD_NEW)
        return 0;
    int found = find_attribute(body + sizeof head, size - sizeof head, TASKSTATS_TYPE_AGGR_PID,
                               &task, &task_size);
    if (found == 1)
        found = find_attribute(task, task_size, TASKSTATS_TYPE_STATS, &stats, &stats_size);
    return found == 1 ? take_stats(stats, stats_size, end) : found;
}

/* Takes one message off the front of `*bytes`. Returns 1; 0 where nothing remains; -EINVAL where it
 * cannot be a message: then nothing remains. */
static int take_message(const unsigned char **bytes, size_t *size, struct nlmsghdr *head,
                        const unsigned char **body, size_t *body_size)
{
    const unsigned char *message = *bytes;
    size_t left = *size;
    *size = 0;
    if (left < sizeof *head)
        return left == 0 ? 0 : -EINVAL;
    memcpy(head, message, sizeof *head);
    if (head->nlmsg_len < sizeof *head || head->nlmsg_len > left)
        return -EINVAL;
    size_t whole = NLMSG_ALIGN(head->nlmsg_len);
    whole = whole > left ? left : whole;
    *bytes = message + whole;
    *size = left - whole;
    *body = message + sizeof *head;
    *body_size = head->nlmsg_len - sizeof *head;
    return 1;
}

int task_end_read(const unsigned char **bytes, size_t *size, struct task_end *end)
{
    struct nlmsghdr head;
    const unsigned char *body;
    size_t body_size;
    int found = take_message(bytes, size, &head, &body, &body_size);
    if (found == 1)
        found = head.nlmsg_type < NLMSG_MIN_TYPE ? 0 : take_task(body, body_size, end);
    if (found == -EINVAL)
        *size = 0;
    return found;
}

/* ---- The socket ------------------------------------------------------------------------------ */

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
    const size_t head = sizeof(struct genlmsghdr);
    const unsigned char *value;
    size_t value_size;
    uint16_t number = 0;
    if (size >= head &&
        find_attribute(body + head, size - head, CTRL_ATTR_FAMILY_ID, &value, &value_size) == 1 &&
        value_size >= sizeof number)
        memcpy(&number, value, sizeof number);
    return number;
}

/* Looks through the messages of a datagram. Returns whether the kernel has confirmed the request or
 * refused it: then with its -errno in `*error`. */
static bool find_answer(const unsigned char *bytes, size_t size, uint16_t *family, int *error)
{
    struct nlmsghdr head;
    const unsigned char *body;
    size_t body_size;
    while (take_message(&bytes, &size, &head, &body, &body_size) == 1) {
        if (head.nlmsg_type == NLMSG_ERROR && body_size >= sizeof *error) {
            memcpy(error, body, sizeof *error);
            return true;
        }
        if (head.nlmsg_type == GENL_ID_CTRL && family != NULL)
            *family = family_of(body, body_size);
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

struct end_trial {
    pid_t pid;
    bool is_told;
};

static void take_trial(void *context, const struct task_end *end)
{
    struct end_trial *trial = context;
    trial->is_told |= end->pid == trial->pid;
}

/* In another network namespace the kernel takes the listener's name, and sends nothing. What it
 * sends of a child is there when that can be waited for. */
static int try_out(int fd)
{
    struct end_trial trial = {.pid = fork()};
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
