/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * When the kernel began to end a task, by the kernel's own clock, and whether the task had executed
 * a program and had forked. slurmstepd calls the plugin some
 * time after a task has ended: it waits for a processor, for a lock that a thread which reads /proc
 * holds, for a disk, for the plugins before ours. Nothing bounds that. So each task gets a perf
 * event that counts nothing, whose ring buffer gets the kernel's record PERF_RECORD_EXIT
 * (perf_event_open(2)).
 *
 * The record is of the task's first thread. Where that one ends before the others, where another
 * thread replaces the program, and when the task becomes a set-user-id program or one that its user
 * may execute but not read (mode 0711), the record is older than the end of the task. So the task
 * ended then or later.
 *
 * Each execve(2) that succeeds makes a record PERF_RECORD_COMM. Where the ring still has all
 * records and none is of that kind, the process ended as what it was forked as. Likewise each
 * process or thread that it makes has a record PERF_RECORD_FORK. A TaskProlog is one. There are no
 * records any more after it has become a program of the two kinds above.
 *
 * It costs two pages of memory for each task. Measured: each switch of the task's first thread to
 * another one and back takes 0.35 us longer; its other threads and its children are as before.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* ---- Forks after the end of a task ----------------------------------------------------------- */

/* When a thread of slurmstepd forked after it had waited for a task. slurmstepd waits for a task,
 * forks for each task epilog (TaskEpilog, srun --task-epilog), waits for that one too, and calls
 * task_exit then. Neither SPANK nor the environment says whether there is an epilog, or how long it
 * took; the first of these forks follows the end of the task at once. */

struct fork_note {
    uint64_t time_ns; /* since the Epoch; 0: this thread has not forked so */
    uint64_t busy_ns; /* fork_note_busy() then */
};

/* How long this thread has been on a processor or waiting for one, in nanoseconds; 0 where the
 * kernel does not count that (/proc/thread-self/schedstat). */
uint64_t fork_note_busy(void);

/* From now on the first fork(2) of this thread after the process has waited for a child is noted;
 * what was noted before is forgotten. One thread of a process is observed, the one that called
 * last. Returns whether forks are seen: memory for that may be missing. */
bool fork_note_start(void);

/* What was noted since then, by this thread. */
struct fork_note fork_note_take(void);

/* The most tasks of a process that are watched at once. */
enum { EXIT_NOTE_MAX = 1024 };

/* From now on the end of the process is noted. Returns 0 or -errno: -ESRCH where it is dead
 * or `pid` is none (that of an external step is 0), -EPERM, -EACCES or -ENOSYS where the kernel, or
 * its settings, do not have that, -EMFILE beyond EXIT_NOTE_MAX. Not for use by several threads at
 * once. */
int exit_note_watch(pid_t pid);

struct exit_note {
    uint64_t died_ns;     /* when the process ended, as above, since the Epoch; 0: unknown */
    uint64_t executed_ns; /* it has executed no other program since then; 0: unknown, or it has made
                             threads since */
    bool has_no_program; /* since it was watched, it has executed none; false: it has, or unknown */
    bool has_no_child;   /* nor made a process or a thread; likewise, until the record of its end */
};

/* Tells of the process, and forgets it. */
struct exit_note exit_note_take(pid_t pid);

/* Forgets all processes. To be called before the plugin is unloaded. */
void exit_note_forget(void);
