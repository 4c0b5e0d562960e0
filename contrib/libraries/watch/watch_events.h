/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Events of fanotify(7), as the kernel writes them for a group with names of directories' entries
 * and descriptors of processes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct watch_event {
    uint64_t mask;
    int32_t pid;        /* 0: a process of another pid namespace */
    int pidfd;          /* of the process; it is closed behind the call. -1: none */
    bool is_gone;       /* the process had ended when the event was read */
    const void *fsid;   /* 8 bytes */
    const void *handle; /* of the directory; begins with its type */
    size_t handle_size;
    const char *name; /* in the directory; "": the directory itself */
};

/* Calls `take` for each event of the `size` bytes of a read(2); an overrun has the mask
 * FAN_Q_OVERFLOW alone. If `has_pidfd`, an event without a descriptor of a process is of one that
 * is gone. Returns 0; or -EPROTO where the bytes are no events. */
int watch_events_each(const void *bytes, size_t size, bool has_pidfd,
                      void (*take)(void *context, const struct watch_event *event), void *context);
