/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The kernel's events about processes of all CPUs of this node, in the order of their times. One
 * descriptor and one ring for each CPU; what has no room there is lost, and the kernel says how
 * much. An event is a record of perf_event_open(2), with sample_id_all and the time alone, of
 * CLOCK_BOOTTIME. Its bytes are read with bounds, and nothing else is touched: recorded streams can
 * be read as those of a running kernel.
 */
#pragma once

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

/* KERNEL_EVENT_MAX: bytes of the largest record: its size is a 16-bit number. */
enum { KERNEL_BUILD_ID_MAX = 20, KERNEL_EVENT_MAX = 65535 };

struct kernel_event {
    enum kernel_event_kind kind;
    uint64_t time_ns; /* since boot */
    int32_t pid, tid, parent;
    uint64_t lost, since_ns;    /* since the event before in its ring; 0:
                                   there is none */
    const unsigned char *bytes; /* the record itself */
    size_t size;
    uint64_t offset;  /* from where in the file on it was mapped, bytes */
    const char *name; /* in the bytes that were read, users' text; no NUL behind it */
    size_t name_size;
    uint8_t build_id_size; /* 0: the kernel has found none */
    unsigned char build_id[KERNEL_BUILD_ID_MAX];
};

/* Reads the record at the start of the `size` bytes at `bytes`, which it may need up to
 * KERNEL_EVENT_MAX of, and sets how many it has in `*used`, a multiple of 8 and at least 8. Returns
 * 0; -EAGAIN where the record is not whole; or -EINVAL where it cannot be one: then `*used` is its
 * size where that is possible, else 0. */
int kernel_event_read(const unsigned char *bytes, size_t size, struct kernel_event *event,
                      size_t *used);

/* Bytes of all rings, the kernel's memory, which is there from the start; more than that only for
 * more than 256 CPUs. On a busy node the reader may wait for its turn: where there are few CPUs,
 * each has more room. */
enum {
    KERNEL_RINGS_BYTES = 64 << 20,
    KERNEL_RING_LEAST = 256 << 10,
    KERNEL_RING_MOST = 4 << 20,
    KERNEL_RINGS_MAX = 4096
};

struct kernel_rings;

/* Bytes of each ring for so many CPUs: a power of two. */
size_t kernel_rings_size(size_t cpus);

/* Opens a descriptor and a ring for each CPU that is online. Where the kernel does not give so much
 * memory, all have less. `with_maps`: executable mappings too,
 * with build-ids. Needs CAP_PERFMON, or CAP_SYS_ADMIN, until it returns. Returns 0, and the rings,
 * which kernel_rings_free() releases; or -errno: -EACCES and -EPERM where the kernel or a container
 * does not allow it, -EINVAL where the kernel is older than 5.12 (or 4.16, without maps). */
int kernel_rings_open(bool with_maps, struct kernel_rings **rings);

void kernel_rings_free(struct kernel_rings *rings);

/* A descriptor of epoll(7) that is ready for reading when a ring is a quarter full. */
int kernel_rings_descriptor(const struct kernel_rings *rings);

/* Calls `take` for each event before `until_ns`, of CLOCK_BOOTTIME, in the order of time; the
 * event's text is valid during the call. Returns how many records cannot be read, which are passed
 * over. */
uint64_t kernel_rings_read(struct kernel_rings *rings, uint64_t until_ns,
                           void (*take)(void *context, const struct kernel_event *event),
                           void *context);
