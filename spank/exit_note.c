/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "spank/exit_note.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "conf/base/clocks.h"
#include "conf/base/io.h"

/* ---- Forks after the end of a task ----------------------------------------------------------- */

/* `note` and `faults` belong to `thread`. */
static struct {
    _Atomic pid_t thread; /* 0: none is observed */
    struct fork_note note;
    long faults; /* of all children that were waited for when it began */
} observed;

/* Every child has at least one page fault, which counts here after it was waited for. */
static long faults_of_children(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_CHILDREN, &usage) == 0 ? usage.ru_minflt + usage.ru_majflt : -1;
}

uint64_t fork_note_busy(void)
{
    char text[64];
    unsigned long long on_processor, waiting;
    if (io_read_text(AT_FDCWD, "/proc/thread-self/schedstat", text, sizeof text) <= 0 ||
        sscanf(text, "%llu %llu", &on_processor, &waiting) != 2 || on_processor == 0)
        return 0;
    return on_processor + waiting;
}

/* Before each fork(2) of the process, in the thread that forks. */
static void note_fork(void)
{
    int error = errno;
    if (gettid() == observed.thread && observed.note.time_ns == 0 &&
        faults_of_children() != observed.faults) {
        observed.note.time_ns = clock_ns(CLOCK_REALTIME);
        observed.note.busy_ns = fork_note_busy();
    }
    errno = error;
}

/* The C library forgets the handler when the plugin is unloaded. */
bool fork_note_start(void)
{
    static bool is_registered;
    if (!is_registered && pthread_atfork(note_fork, NULL, NULL) != 0)
        return false;
    is_registered = true;
    observed.thread = 0;
    observed.note = (struct fork_note){.time_ns = 0};
    observed.faults = faults_of_children();
    observed.thread = gettid();
    return observed.faults >= 0;
}

struct fork_note fork_note_take(void)
{
    return gettid() == observed.thread ? observed.note : (struct fork_note){.time_ns = 0};
}

struct exit_watch {
    struct exit_watch *next;
    pid_t pid;
    const struct perf_event_mmap_page *ring; /* one page, and one of records */
};

/* The rings of `owner` are not mapped in its children. */
static struct {
    pid_t owner;
    size_t count;
    struct exit_watch *first;
} watches;

static size_t ring_bytes(void)
{
    return 2 * (size_t)sysconf(_SC_PAGESIZE);
}

/* Returns what points to the watch of this process, or to NULL. */
static struct exit_watch **find_watch(pid_t pid)
{
    struct exit_watch **at = &watches.first;
    if (watches.owner != getpid()) {
        watches.owner = getpid();
        watches.count = 0;
        watches.first = NULL;
    }
    while (*at != NULL && (*at)->pid != pid)
        at = &(*at)->next;
    return at;
}

static void end_watch(struct exit_watch **at)
{
    struct exit_watch *watch = *at;
    *at = watch->next;
    watches.count--;
    munmap((void *)watch->ring, ring_bytes());
    free(watch);
}

/* The process may fork for millions of times, each of which makes a record, as each change of its
 * name does. Written backward, the ring has the newest ones, and the first is where data_head
 * points. The mapping is all that keeps the event; children of this process do not get it. */
static int map_ring(pid_t pid, const struct perf_event_mmap_page **ring)
{
    const struct perf_event_attr exits = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof exits,
        .config = PERF_COUNT_SW_DUMMY,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .task = 1,
        .comm = 1,
        .comm_exec = 1,
        .use_clockid = 1,
        .sample_type = PERF_SAMPLE_TIME,
        .sample_id_all = 1,
        .write_backward = 1,
        .clockid = CLOCK_REALTIME,
    };
    int event = (int)syscall(SYS_perf_event_open, &exits, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (event < 0)
        return -errno;
    void *mapped = mmap(NULL, ring_bytes(), PROT_READ, MAP_SHARED, event, 0);
    int error = mapped == MAP_FAILED ? -errno : 0;
    close(event);
    if (error == 0)
        *ring = mapped;
    return error;
}

int exit_note_watch(pid_t pid)
{
    if (pid <= 0)
        return -ESRCH;
    struct exit_watch **known = find_watch(pid);
    if (*known != NULL)
        end_watch(known);
    if (watches.count >= EXIT_NOTE_MAX)
        return -EMFILE;
    struct exit_watch *watch = malloc(sizeof *watch);
    int error = watch == NULL ? -ENOMEM : map_ring(pid, &watch->ring);
    if (error != 0) {
        free(watch);
        return error;
    }
    watch->pid = pid;
    watch->next = watches.first;
    watches.first = watch;
    watches.count++;
    return 0;
}

/* The `size` bytes at `at` of the ring. */
static void read_ring(const struct perf_event_mmap_page *ring, uint64_t at, void *bytes,
                      size_t size)
{
    const char *records = (const char *)ring + ring->data_offset;
    for (size_t i = 0; i < size; i++)
        ((char *)bytes)[i] = records[(at + i) % ring->data_size];
}

/* Each record ends with its time. */
static uint64_t time_of(const struct perf_event_mmap_page *ring, uint64_t at,
                        const struct perf_event_header *header)
{
    uint64_t time_ns;
    read_ring(ring, at + header->size - sizeof time_ns, &time_ns, sizeof time_ns);
    return time_ns;
}

/* What another thread executes becomes the process's program, and has no record here. */
static bool is_thread(const struct perf_event_mmap_page *ring, uint64_t at,
                      const struct perf_event_header *header)
{
    struct {
        struct perf_event_header header;
        uint32_t pid, parent;
    } record;
    if (header->type != PERF_RECORD_FORK || header->size < sizeof record)
        return false;
    read_ring(ring, at, &record, sizeof record);
    return record.pid == record.parent;
}

/* Adds what the records tell, of which the oldest may be gone. data_head counts down from 0. */
static void read_records(const struct perf_event_mmap_page *ring, uint64_t head,
                         struct exit_note *note)
{
    const uint64_t written = 0 - head;
    bool has_all = written <= ring->data_size;
    const uint64_t end = has_all ? written : ring->data_size;
    bool has_program = false, has_child = false, has_thread = false;
    struct perf_event_header header;
    for (uint64_t at = 0; at + sizeof header <= end; at += header.size) {
        read_ring(ring, head + at, &header, sizeof header);
        if (header.size < sizeof header + sizeof note->executed_ns || at + header.size > end) {
            has_all = has_all && at + header.size <= end && header.size > 0;
            break;
        }
        if (!has_program && header.type == PERF_RECORD_COMM &&
            (header.misc & PERF_RECORD_MISC_COMM_EXEC) != 0) {
            has_program = true;
            note->executed_ns = has_thread ? 0 : time_of(ring, head + at, &header);
        }
        has_child |= header.type == PERF_RECORD_FORK;
        has_thread |= !has_program && is_thread(ring, head + at, &header);
    }
    note->has_no_program = has_all && !has_program;
    note->has_no_child = has_all && !has_child;
}

static struct exit_note note_in_ring(const struct perf_event_mmap_page *ring)
{
    struct {
        struct perf_event_header header;
        uint32_t pid, parent, thread, parent_thread;
        uint64_t time_ns;
    } record;
    uint64_t head = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE);
    if (head == 0)
        return (struct exit_note){0};
    read_ring(ring, head, &record, sizeof record);
    if (record.header.type != PERF_RECORD_EXIT || record.header.size < sizeof record)
        return (struct exit_note){0};
    struct exit_note note = {.died_ns = record.time_ns};
    read_records(ring, head, &note);
    return note;
}

struct exit_note exit_note_take(pid_t pid)
{
    struct exit_watch **at = find_watch(pid);
    if (*at == NULL)
        return (struct exit_note){0};
    struct exit_note note = note_in_ring((*at)->ring);
    end_watch(at);
    return note;
}

void exit_note_forget(void)
{
    find_watch(0);
    while (watches.first != NULL)
        end_watch(&watches.first);
}
