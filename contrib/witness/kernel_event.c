/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/witness/kernel_event.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

/* Where things are in a record, behind its head; the kernel's header has them in comments alone. */
enum {
    HEAD = sizeof(struct perf_event_header),
    SAMPLE_ID = 8, /* the time, at the end of each record */
    TASK_PID = 0,
    TASK_PARENT = 4,
    TASK_TID = 8,
    TASK_SIZE = 24,
    COMM_PID = 0,
    COMM_TID = 4,
    COMM_NAME = 8,
    MAP_PID = 0,
    MAP_TID = 4,
    MAP_OFFSET = 24,
    MAP_BUILD_ID_SIZE = 32,
    MAP_BUILD_ID = 36,
    MAP_NAME = 64,
    LOST_COUNT = 8,
    LOST_SIZE = 16,
};

static uint64_t number64(const unsigned char *bytes)
{
    uint64_t number;
    memcpy(&number, bytes, sizeof number);
    return number;
}

static int32_t number32(const unsigned char *bytes)
{
    int32_t number;
    memcpy(&number, bytes, sizeof number);
    return number;
}

/* The text from `at` to the end of the body, or to the first NUL. */
static int take_name(const unsigned char *body, size_t size, size_t at, struct kernel_event *event)
{
    if (size <= at)
        return -EINVAL;
    event->name = (const char *)body + at;
    event->name_size = strnlen(event->name, size - at);
    return event->name_size == size - at ? -EINVAL : 0;
}

static int take_task(const unsigned char *body, size_t size, enum kernel_event_kind kind,
                     struct kernel_event *event)
{
    if (size < TASK_SIZE)
        return -EINVAL;
    event->kind = kind;
    event->pid = number32(body + TASK_PID);
    event->parent = number32(body + TASK_PARENT);
    event->tid = number32(body + TASK_TID);
    return 0;
}

static int take_comm(const unsigned char *body, size_t size, unsigned flags,
                     struct kernel_event *event)
{
    if ((flags & PERF_RECORD_MISC_COMM_EXEC) == 0)
        return 0;
    int error = take_name(body, size, COMM_NAME, event);
    if (error != 0)
        return error;
    event->kind = KERNEL_EVENT_EXEC;
    event->pid = number32(body + COMM_PID);
    event->tid = number32(body + COMM_TID);
    return 0;
}

static int take_map(const unsigned char *body, size_t size, unsigned flags,
                    struct kernel_event *event)
{
    int error = take_name(body, size, MAP_NAME, event);
    if (error != 0)
        return error;
    event->kind = KERNEL_EVENT_MAP;
    event->pid = number32(body + MAP_PID);
    event->tid = number32(body + MAP_TID);
    event->offset = number64(body + MAP_OFFSET);
    if ((flags & PERF_RECORD_MISC_MMAP_BUILD_ID) == 0)
        return 0;
    event->build_id_size = body[MAP_BUILD_ID_SIZE];
    if (event->build_id_size > KERNEL_BUILD_ID_MAX)
        return -EINVAL;
    memcpy(event->build_id, body + MAP_BUILD_ID, event->build_id_size);
    return 0;
}

static int take_lost(const unsigned char *body, size_t size, struct kernel_event *event)
{
    if (size < LOST_SIZE)
        return -EINVAL;
    event->kind = KERNEL_EVENT_LOST;
    event->lost = number64(body + LOST_COUNT);
    return 0;
}

static int take_body(const struct perf_event_header *head, const unsigned char *body, size_t size,
                     struct kernel_event *event)
{
    switch (head->type) {
    case PERF_RECORD_FORK:
        return take_task(body, size, KERNEL_EVENT_FORK, event);
    case PERF_RECORD_EXIT:
        return take_task(body, size, KERNEL_EVENT_EXIT, event);
    case PERF_RECORD_COMM:
        return take_comm(body, size, head->misc, event);
    case PERF_RECORD_MMAP2:
        return take_map(body, size, head->misc, event);
    case PERF_RECORD_LOST:
        return take_lost(body, size, event);
    default:
        return 0;
    }
}

int kernel_event_read(const unsigned char *bytes, size_t size, struct kernel_event *event,
                      size_t *used)
{
    struct perf_event_header head;
    struct kernel_event found = {.kind = KERNEL_EVENT_OTHER};
    *used = 0;
    if (size < sizeof head)
        return -EAGAIN;
    memcpy(&head, bytes, sizeof head);
    if (head.size < HEAD || head.size % 8 != 0)
        return -EINVAL;
    if (head.size > size)
        return -EAGAIN;
    *used = head.size;
    if (head.size < HEAD + SAMPLE_ID)
        return -EINVAL;
    found.bytes = bytes;
    found.size = head.size;
    found.time_ns = number64(bytes + head.size - SAMPLE_ID);
    int error = take_body(&head, bytes + HEAD, head.size - HEAD - (size_t)SAMPLE_ID, &found);
    if (error == 0)
        *event = found;
    return error;
}
