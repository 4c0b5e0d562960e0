/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The processes of jobs as the kernel reports them: events (kernel_rings.h) and ends of threads
 * (task_end.h) go in, processes that have ended come out. A process is of the job of the process
 * that forked it, whatever it does later; it begins with the daemon of a step. Processes of no job
 * are dropped. No system call is made here, so that recorded streams can be played.
 *
 * The kernel sends the end of a thread before the event of its exit. So the ends that have come
 * until a time are given in first, and the events before that time after them. Both are bounded;
 * what has no room is counted. Of the room for processes, and for the files that they map, a job
 * can take half of what others leave: however many processes a user has, there is some for others.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contrib/witness/job/kernel_notes.h"
#include "contrib/witness/kernel_rings.h"
#include "contrib/witness/task_end.h"

enum {
    KERNEL_JOBS_MAX = 1024,       /* numbers of jobs are not above */
    KERNEL_PROCESSES_MAX = 65536, /* that live in jobs on this node */
    KERNEL_ENDS_MAX = 65536,      /* of threads, that wait for their event */
    KERNEL_FILES_MAX = 4 << 20,   /* mapped by all of them; 4 bytes each */
    KERNEL_OBJECTS_MAX = 1024,    /* mapped by one */
};

struct kernel_process {
    struct kernel_note note; /* times since boot */
    uint32_t job;            /* as kernel_processes_daemon() was given it */
    uint32_t threads;        /* that live */
    uint64_t known_ns;       /* `threads` are those of this time */
    uint64_t over_round;     /* in which its last thread ended; 0: it lives */
    bool is_daemon;          /* of a step: it is not reported */
    bool wants_program;      /* the next mapping is its program */
    uint32_t *file;          /* owned: what its program has mapped, each once */
    uint32_t file_count, file_room;
    uint64_t user_us, system_us; /* ticks of its threads that have ended */
};

struct kernel_processes_calls {
    /* The number of the file that `event` names, an event of a mapping, or of an exec where no
     * mappings are heard; 0: there is no room. */
    uint32_t (*take_program)(void *context, uint32_t job, const struct kernel_event *event);
    /* The number of a set of such files; 0: there is no room. */
    uint32_t (*take_objects)(void *context, uint32_t job, const uint32_t *file, size_t count);
    void (*take_end)(void *context, uint32_t job, const struct kernel_note *note);
    /* A program of which it is known what it had mapped is replaced by another of its process. */
    void (*take_replaced)(void *context, uint32_t job, const struct kernel_note *note);
    /* The process of that job has no room. */
    void (*take_loss)(void *context, uint32_t job);
    void *context;
    bool has_maps, has_ends; /* which of the kernel's interfaces are heard */
};

struct kernel_processes;

/* Returns NULL when out of memory; kernel_processes_free() releases. */
struct kernel_processes *kernel_processes_new(const struct kernel_processes_calls *calls);
void kernel_processes_free(struct kernel_processes *processes);

/* The daemon of a step of the job `job`, not 0, that started so long after boot. It may be reported
 * before its fork, and again. A process that is known under its pid and started later stays. */
void kernel_processes_daemon(struct kernel_processes *processes, int32_t pid, uint64_t start_ns,
                             uint32_t job);

/* A process that is older than the listener: all but job, times and threads is left 0. */
void kernel_processes_older(struct kernel_processes *processes,
                            const struct kernel_process *process);

/* The job of the process `pid` that started so long after boot; 0: none. */
uint32_t kernel_processes_job(const struct kernel_processes *processes, int32_t pid,
                              uint64_t start_ns);

void kernel_processes_end(struct kernel_processes *processes, const struct task_end *end);
void kernel_processes_event(struct kernel_processes *processes, const struct kernel_event *event);

/* All events before a time have been given in. Ends that have waited for their event since the
 * round before this one are dropped, and counted as kernel_processes_unmatched(), but for those of
 * processes of jobs that live: between the two the kernel frees the memory, and closes the files,
 * which may take long. Rounds are so far apart that no event comes later than in the second one. */
void kernel_processes_round(struct kernel_processes *processes);
uint64_t kernel_processes_unmatched(const struct kernel_processes *processes);

/* After a loss: tells the end of each process for which `is_alive` says no. */
void kernel_processes_sweep(struct kernel_processes *processes, uint64_t now_ns,
                            bool (*is_alive)(int32_t pid, uint64_t start_ns));

/* Forgets all processes of the job. */
void kernel_processes_drop(struct kernel_processes *processes, uint32_t job);
