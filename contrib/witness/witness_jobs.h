/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The jobs of this node: their directories in the spool, whose journals (spank/journal.h) name the
 * daemons of steps, and into which what the kernel tells is written.
 */
#pragma once

#include <stdint.h>

#include "contrib/witness/job_notes.h"
#include "contrib/witness/kernel_processes.h"

/* Jobs on this node at once; further ones are not listened to. */
enum { WITNESS_JOBS_MAX = KERNEL_JOBS_MAX };

struct witness_jobs;

/* Of the spool directory open at `spool`, which stays the caller's. Returns NULL when out of
 * memory; witness_jobs_free() releases, without writing. */
struct witness_jobs *witness_jobs_new(int spool, const struct kernel_listen *listen);
void witness_jobs_free(struct witness_jobs *jobs);

/* Looks for new jobs, and for those that are gone, and tells `processes` of daemons of steps that
 * journals have named since the last look. What the kernel reported until `heard_ns` since boot was
 * taken before: to a job whose file can be begun only now, as the file system was full, that is
 * unheard. Returns 0, or -errno where the spool cannot be read. */
int witness_jobs_look(struct witness_jobs *jobs, struct kernel_processes *processes,
                      uint64_t heard_ns);

/* Gives each process to `processes` that is older than the listener and has an ancestor there, as
 * the daemon of a step, or that, or an ancestor, is in a cgroup of one of the jobs: it may have
 * lost its ancestors. By one walk over /proc. Returns 0 or -errno. */
int witness_jobs_walk(const struct witness_jobs *jobs, struct kernel_processes *processes);

/* The file of the job that `processes` knows under this number; NULL: it is gone. */
struct job_notes *witness_jobs_notes(struct witness_jobs *jobs, uint32_t job);

/* The first job behind the number `job` (0: the first of all); 0: there is no more. */
uint32_t witness_jobs_next(const struct witness_jobs *jobs, uint32_t job);
