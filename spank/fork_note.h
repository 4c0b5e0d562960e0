/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * When a thread of slurmstepd forked after it had waited for a task. slurmstepd waits for a task,
 * forks for each task epilog (TaskEpilog, srun --task-epilog), waits for that one too, and calls
 * task_exit then. Neither SPANK nor the environment says whether there is an epilog, or how long it
 * took; the first of these forks follows the end of the task at once.
 */
#ifndef JOBTRAIL_FORK_NOTE_H
#define JOBTRAIL_FORK_NOTE_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
