/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/watch/watch_events.h"

#include <errno.h>
#include <string.h>
#include <sys/fanotify.h>
#include <unistd.h>

/* Kinds of what follows an event; the newer one is not in all headers. */
enum { HAS_DIRECTORY_AND_NAME = 2, HAS_PIDFD = 4 };

/* struct fanotify_event_info_fid: a head of 4 bytes, the file system, and a struct file_handle (its
 * size and type, 4 bytes each, and that many bytes), with the name behind it. */
enum { INFO_HEAD = 4, FSID = 8, HANDLE_HEAD = 8 };

static uint32_t word_at(const unsigned char *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

static int take_name(const unsigned char *info, size_t size, struct watch_event *event)
{
    const size_t fixed = INFO_HEAD + FSID + HANDLE_HEAD;
    if (size <= fixed)
        return -EPROTO;
    size_t bytes = word_at(info + INFO_HEAD + FSID);
    if (bytes >= size - fixed)
        return -EPROTO;
    const unsigned char *name = info + fixed + bytes;
    if (memchr(name, '\0', size - fixed - bytes) == NULL)
        return -EPROTO;
    event->fsid = info + INFO_HEAD;
    event->handle = info + INFO_HEAD + FSID + sizeof(uint32_t);
    event->handle_size = sizeof(uint32_t) + bytes;
    event->name = strcmp((const char *)name, ".") == 0 ? "" : (const char *)name;
    return 0;
}

static void close_pidfd(struct watch_event *event)
{
    if (event->pidfd >= 0)
        close(event->pidfd);
    event->pidfd = -1;
}

static void take_pidfd(const unsigned char *info, size_t size, struct watch_event *event)
{
    close_pidfd(event);
    event->pidfd = size < INFO_HEAD + sizeof(int) ? -1 : (int)word_at(info + INFO_HEAD);
    event->is_gone = event->pidfd < 0;
}

/* What belongs to one event: parts, each with its kind and size at its begin. */
static int take_infos(const unsigned char *at, size_t size, struct watch_event *event)
{
    int error = 0;
    while (size > 0 && error == 0) {
        struct fanotify_event_info_header head;
        if (size < sizeof head)
            return -EPROTO;
        memcpy(&head, at, sizeof head);
        if (head.len < sizeof head || head.len > size)
            return -EPROTO;
        if (head.info_type == HAS_DIRECTORY_AND_NAME)
            error = take_name(at, head.len, event);
        else if (head.info_type == HAS_PIDFD)
            take_pidfd(at, head.len, event);
        at += head.len;
        size -= head.len;
    }
    return error;
}

int watch_events_each(const void *bytes, size_t size, bool has_pidfd,
                      void (*take)(void *context, const struct watch_event *event), void *context)
{
    const unsigned char *at = bytes;
    while (size > 0) {
        struct fanotify_event_metadata head;
        if (size < sizeof head)
            return -EPROTO;
        memcpy(&head, at, sizeof head);
        if (head.vers != FANOTIFY_METADATA_VERSION || head.metadata_len < sizeof head ||
            head.event_len < head.metadata_len || head.event_len > size)
            return -EPROTO;
        struct watch_event event = {
            .mask = head.mask, .pid = head.pid, .pidfd = -1, .is_gone = has_pidfd};
        int error = take_infos(at + head.metadata_len, head.event_len - head.metadata_len, &event);
        if (error == 0 && (event.name != NULL || (head.mask & FAN_Q_OVERFLOW) != 0))
            take(context, &event);
        close_pidfd(&event);
        if (error != 0)
            return error;
        at += head.event_len;
        size -= head.event_len;
    }
    return 0;
}
