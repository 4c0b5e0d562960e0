/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A record of the kernel's perf events (perf_event_open(2), PERF_RECORD_...) as what it says about
 * a process. The form is that of descriptors which kernel_rings.h opens: sample_id_all with the
 * time alone, of CLOCK_BOOTTIME. The bytes are read with bounds, and nothing else is touched:
 * recorded streams can be read as those of a running kernel.
 */
#ifndef JOBTRAIL_KERNEL_EVENT_H
#define JOBTRAIL_KERNEL_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kernel_event_kind {
    KERNEL_EVENT_OTHER,
    KERNEL_EVENT_FORK, /* the thread `tid` of the process `pid`, by one of the process `parent` */
    KERNEL_EVENT_EXIT, /* likewise */
    KERNEL_EVENT_EXEC, /* `name` is the program's short name */
    KERNEL_EVENT_MAP,  /* the file `name` was mapped so that it can be executed */
    KERNEL_EVENT_LOST, /* `lost` records before this one had no room */
};

enum { KERNEL_BUILD_ID_MAX = 20 };

struct kernel_event {
    enum kernel_event_kind kind;
    uint64_t time_ns; /* since boot */
    int32_t pid, tid, parent;
    uint64_t lost, since_ns; /* since the event before in its ring, which kernel_rings.h tells; 0:
                                there is none */
    const unsigned char *bytes; /* the record itself */
    size_t size;
    uint64_t offset;  /* from where in the file on it was mapped, bytes */
    const char *name; /* in the bytes that were read, users' text; no NUL behind it */
    size_t name_size;
    uint8_t build_id_size; /* 0: the kernel has found none */
    unsigned char build_id[KERNEL_BUILD_ID_MAX];
};

/* Bytes of the largest record: its size is a 16-bit number. */
enum { KERNEL_EVENT_MAX = 65535 };

/* Reads the record at the start of the `size` bytes at `bytes`, which it may need up to
 * KERNEL_EVENT_MAX of, and sets how many it has in `*used`, a multiple of 8 and at least 8. Returns
 * 0; -EAGAIN where the record is not whole; or -EINVAL where it cannot be one: then `*used` is its
 * size where that is possible, else 0. */
int kernel_event_read(const unsigned char *bytes, size_t size, struct kernel_event *event,
                      size_t *used);

#endif
