/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/witness/task_end.h"

#include <errno.h>
#include <linux/acct.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <string.h>

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

static int take_message(const unsigned char *body, size_t size, struct task_end *end)
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

int task_end_read(const unsigned char **bytes, size_t *size, struct task_end *end)
{
    struct nlmsghdr head;
    const unsigned char *message = *bytes;
    size_t left = *size;
    *size = 0;
    if (left < sizeof head)
        return left == 0 ? 0 : -EINVAL;
    memcpy(&head, message, sizeof head);
    if (head.nlmsg_len < sizeof head || head.nlmsg_len > left)
        return -EINVAL;
    size_t whole = NLMSG_ALIGN(head.nlmsg_len);
    whole = whole > left ? left : whole;
    *bytes = message + whole;
    *size = left - whole;
    if (head.nlmsg_type < NLMSG_MIN_TYPE)
        return 0;
    int found = take_message(message + sizeof head, head.nlmsg_len - sizeof head, end);
    if (found < 0)
        *size = found == -EINVAL ? 0 : *size;
    return found;
}
