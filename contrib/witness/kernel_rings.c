/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/witness/kernel_rings.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ---- A record -------------------------------------------------------------------------------- */

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

/* ---- Rings ----------------------------------------------------------------------------------- */

/* Such a part of a ring wakes the reader. */
enum { WAKE_PART = 4 };

/* One CPU's. The page in front of the data has how far both sides are; only the low bits of these
 * are places in the ring. */
struct kernel_ring {
    struct perf_event_mmap_page *page;
    const unsigned char *data;
    uint64_t head, tail;       /* of this reading */
    uint64_t last_ns;          /* the time of the last event that was handed on */
    struct kernel_event event; /* at `tail`, in `bytes` or the ring */
    size_t used;               /* its size; 0: there is none before the limit */
    int fd;
};

struct kernel_rings {
    int epoll;
    size_t count, page_bytes;
    size_t ring_bytes;    /* of each, without the page in front */
    unsigned char *bytes; /* of one event that goes over the end of its ring */
    uint64_t bad;
    struct kernel_ring ring[];
};

int kernel_rings_descriptor(const struct kernel_rings *rings)
{
    return rings->epoll;
}

static int open_event(int cpu, bool with_maps, size_t wake_bytes)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof attr,
        .config = PERF_COUNT_SW_DUMMY,
        .sample_type = PERF_SAMPLE_TIME,
        .sample_id_all = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .task = 1,
        .comm = 1,
        .comm_exec = 1,
        .mmap = with_maps,
        .mmap2 = with_maps,
        .build_id = with_maps,
        .watermark = 1,
        .wakeup_watermark = (uint32_t)wake_bytes,
        .use_clockid = 1,
        .clockid = CLOCK_BOOTTIME,
    };
    long fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
    return fd < 0 ? -errno : (int)fd;
}

static int open_ring(struct kernel_rings *rings, int cpu, bool with_maps)
{
    struct kernel_ring *ring = &rings->ring[rings->count];
    struct epoll_event ready = {.events = EPOLLIN};
    int fd = open_event(cpu, with_maps, rings->ring_bytes / WAKE_PART);
    if (fd < 0)
        return fd;
    void *page = mmap(NULL, rings->page_bytes + rings->ring_bytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED, fd, 0);
    if (page == MAP_FAILED || epoll_ctl(rings->epoll, EPOLL_CTL_ADD, fd, &ready) != 0) {
        int error = -errno;
        if (page != MAP_FAILED)
            munmap(page, rings->page_bytes + rings->ring_bytes);
        close(fd);
        return error;
    }
    *ring = (struct kernel_ring){
        .page = page, .data = (const unsigned char *)page + rings->page_bytes, .fd = fd};
    rings->count++;
    return 0;
}

static void close_all(struct kernel_rings *rings)
{
    for (size_t i = 0; i < rings->count; i++) {
        munmap(rings->ring[i].page, rings->page_bytes + rings->ring_bytes);
        close(rings->ring[i].fd);
    }
    rings->count = 0;
}

/* CPUs that are offline have no descriptor; one that comes later is not heard. */
static int open_all(struct kernel_rings *rings, long cpus, bool with_maps)
{
    for (int cpu = 0; cpu < cpus; cpu++) {
        int error = open_ring(rings, cpu, with_maps);
        if (error != 0 && error != -ENODEV)
            return error;
    }
    return rings->count == 0 ? -ENODEV : 0;
}

/* -EPERM: without CAP_IPC_LOCK the kernel gives 516 KiB for each CPU, by default. */
static int open_with_room(struct kernel_rings *rings, long cpus, bool with_maps)
{
    rings->ring_bytes = kernel_rings_size((size_t)cpus);
    int error = open_all(rings, cpus, with_maps);
    while ((error == -EPERM || error == -ENOMEM) && rings->ring_bytes > KERNEL_RING_LEAST) {
        close_all(rings);
        rings->ring_bytes /= 2;
        error = open_all(rings, cpus, with_maps);
    }
    return error;
}

size_t kernel_rings_size(size_t cpus)
{
    size_t size = KERNEL_RING_MOST;
    while (size > KERNEL_RING_LEAST && size * cpus > KERNEL_RINGS_BYTES)
        size /= 2;
    return size;
}

int kernel_rings_open(bool with_maps, struct kernel_rings **rings)
{
    long cpus = sysconf(_SC_NPROCESSORS_CONF);
    if (cpus < 1 || cpus > KERNEL_RINGS_MAX)
        return -ENOTSUP;
    struct kernel_rings *made = calloc(1, sizeof *made + (size_t)cpus * sizeof *made->ring);
    if (made == NULL)
        return -ENOMEM;
    made->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    made->bytes = malloc(KERNEL_EVENT_MAX + 1);
    made->epoll = epoll_create1(EPOLL_CLOEXEC);
    int error = made->bytes == NULL ? -ENOMEM : made->epoll < 0 ? -errno : 0;
    if (error == 0)
        error = open_with_room(made, cpus, with_maps);
    if (error == 0)
        *rings = made;
    else
        kernel_rings_free(made);
    return error;
}

void kernel_rings_free(struct kernel_rings *rings)
{
    if (rings == NULL)
        return;
    close_all(rings);
    if (rings->epoll >= 0)
        close(rings->epoll);
    free(rings->bytes);
    free(rings);
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* The `size` bytes at `tail`: in the ring, or where they go over its end, in `bytes`. */
static const unsigned char *bytes_of(const struct kernel_rings *rings,
                                     const struct kernel_ring *ring, size_t size)
{
    size_t at = ring->tail % rings->ring_bytes, whole = rings->ring_bytes - at;
    if (size <= whole)
        return ring->data + at;
    memcpy(rings->bytes, ring->data + at, whole);
    memcpy(rings->bytes + whole, ring->data, size - whole);
    return rings->bytes;
}

/* The event at the tail, if there is one before the limit. What cannot be an event's size cannot be
 * passed over but with all that is there. */
static void look_at_next(struct kernel_rings *rings, struct kernel_ring *ring, uint64_t until_ns)
{
    ring->used = 0;
    while (ring->tail < ring->head) {
        uint64_t there = ring->head - ring->tail;
        struct perf_event_header head;
        size_t used;
        memcpy(&head, bytes_of(rings, ring, sizeof head), sizeof head);
        size_t size = head.size < there ? head.size : (size_t)there;
        int error = kernel_event_read(bytes_of(rings, ring, size), size, &ring->event, &used);
        if (error == 0) {
            ring->used = ring->event.time_ns < until_ns ? used : 0;
            return;
        }
        rings->bad++;
        ring->tail = used == 0 ? ring->head : ring->tail + used;
    }
}

static struct kernel_ring *find_oldest(struct kernel_rings *rings)
{
    struct kernel_ring *oldest = NULL;
    for (size_t i = 0; i < rings->count; i++) {
        struct kernel_ring *ring = &rings->ring[i];
        if (ring->used > 0 && (oldest == NULL || ring->event.time_ns < oldest->event.time_ns))
            oldest = ring;
    }
    return oldest;
}

/* One that goes over the end is read again: others have used `bytes` meanwhile. */
static void hand_on(struct kernel_rings *rings, struct kernel_ring *ring,
                    void (*take)(void *context, const struct kernel_event *event), void *context)
{
    size_t used;
    if (kernel_event_read(bytes_of(rings, ring, ring->used), ring->used, &ring->event, &used) ==
        0) {
        ring->event.since_ns = ring->last_ns; /* what is lost stands between two that are not */
        ring->last_ns = ring->event.time_ns;
        take(context, &ring->event);
    }
    ring->tail += ring->used;
}

uint64_t kernel_rings_read(struct kernel_rings *rings, uint64_t until_ns,
                           void (*take)(void *context, const struct kernel_event *event),
                           void *context)
{
    struct kernel_ring *oldest;
    rings->bad = 0;
    for (size_t i = 0; i < rings->count; i++) {
        struct kernel_ring *ring = &rings->ring[i];
        ring->head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
        ring->tail = ring->page->data_tail;
        look_at_next(rings, ring, until_ns);
    }
    while ((oldest = find_oldest(rings)) != NULL) {
        hand_on(rings, oldest, take, context);
        look_at_next(rings, oldest, until_ns);
        if (oldest->used == 0 ||
            oldest->tail - oldest->page->data_tail > rings->ring_bytes / WAKE_PART)
            __atomic_store_n(&oldest->page->data_tail, oldest->tail, __ATOMIC_RELEASE);
    }
    for (size_t i = 0; i < rings->count; i++)
        __atomic_store_n(&rings->ring[i].page->data_tail, rings->ring[i].tail, __ATOMIC_RELEASE);
    return rings->bad;
}
