/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A job's file of profiles on one node (preload/profile/profile_file.h), read after the end. The
 * file is the user's: every number in it is checked before it is used, it is read once, from its
 * start to its end, and never mapped, and a chunk that is not valid is counted and skipped. Nothing
 * here depends on what else is known of the job.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contrib/profile/call_tree.h"
#include "preload/profile/profile_file.h"

struct profiled_object {
    char *path; /* owned; "": the executable, whose path is not known */
    unsigned char build_id[PROFILE_BUILD_ID];
    size_t build_id_size;
    uint64_t bias, start, end;
    bool is_executable;
};

/* A thread's stack at a moment. */
struct profiled_sample {
    uint64_t ticks;
    uint32_t node; /* of the tree */
    int32_t tid;   /* of the thread, as the process says */
    uint32_t kind; /* enum profile_event_kind */
};

/* A routine of MPI, or of a designated library. */
struct profiled_routine {
    char name[PROFILE_ROUTINE_NAME];
    uint32_t flags; /* enum profile_routine_flag */
    uint64_t calls, ticks, largest, bytes, sized;
    uint64_t open;       /* calls that were open; calls_finish() sets it */
    uint64_t open_start; /* ticks, of the first of these */
};

/* A call of one that was open. */
struct profiled_open {
    uint32_t routine;
    uint64_t start, inner,
        until; /* ticks; until: when it called the next open one; 0: it did not */
};

/* What one process claims of itself. */
struct profiled_process {
    uint64_t offset; /* in the file */
    uint8_t uuid[16];
    int32_t pid, task_pid;
    uint32_t step, task; /* UINT32_MAX: not known */
    uint32_t rank, size;
    uint64_t program; /* profile_process.program */
    uint32_t counter; /* enum profile_counter */
    bool is_light, is_forked;
    bool is_confined; /* it entered a sandbox, and counted nothing afterwards */
    bool is_hooked;   /* its own hooks are called */
    bool has_ended;   /* `last` is when its exit handlers ran, or when it entered the sandbox */
    struct profile_pair start, last;
    uint64_t newest; /* the last ticks that it left */
    struct profiled_object *objects;
    size_t object_count;
    struct call_tree tree;
    struct profiled_sample *samples; /* owned; a thread's in a row, by time */
    size_t sample_count, sample_room;
    uint64_t sample_gap; /* ticks that two of a thread are apart at the least */
    uint64_t threads, lost_calls, lost_objects, dead_frames, stray_exits;
    struct profiled_routine *routines;
    size_t routine_count;
    struct profiled_open *open;
    size_t open_count;
    uint64_t callers;                     /* threads that called them, at a time */
    uint64_t before_ns;                   /* from the start of the program to `start` */
    uint64_t lost_times;                  /* calls that were counted and not timed */
    uint64_t missed_routines, missed_mpi; /* of designated libraries, and of MPI */
};

struct profile_content {
    struct profile_header header; /* as it is in the file, but for magic and sizes not believed */
    struct profiled_process *processes; /* in the order of the file */
    size_t process_count;
    size_t damaged; /* chunks, threads' parts and objects that are not valid */
};

/* Reads at most the first `most` bytes of the file open at `fd`, which stays the caller's. Returns
 * 0; -EINVAL where it is no such file; -ENOMEM; -EFBIG; or -errno of the read. The content is to be
 * released with profile_content_free() after success. Its trees are not finished. */
int profile_read(int fd, uint64_t most, struct profile_content *content);
void profile_content_free(struct profile_content *content);

/* The path of the process's executable; NULL: it is not known. */
const char *profiled_executable(const struct profiled_process *process);

bool profiled_calls_mpi(const struct profiled_process *process);

/* Whether it has called MPI_Init(), and not MPI_Finalize(): all its calls of MPI are known. */
bool profiled_is_in_mpi(const struct profiled_process *process);

/* Ticks when it called MPI_Abort(), which has not returned; 0: it did not. */
uint64_t profiled_abort(const struct profiled_process *process);

/* Ends the open calls of routines at `end` (ticks). Once. */
void calls_finish(struct profiled_process *process, uint64_t end);
