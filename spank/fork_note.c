/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "spank/fork_note.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/io.h"

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
    struct timespec now;
    if (gettid() == observed.thread && observed.note.time_ns == 0 &&
        faults_of_children() != observed.faults && clock_gettime(CLOCK_REALTIME, &now) == 0) {
        observed.note.busy_ns = fork_note_busy();
        observed.note.time_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
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
