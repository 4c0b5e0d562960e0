/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The journal: what root knows of a job on one node, in the order in which it became known.
 *
 * The file `journal` lies in the job's spool directory, belongs to root and is readable by root
 * alone; it is the only source of identity and of exit statuses (who wrote the ledger may lie).
 * A line is `verb key=value key=value ...`, at the most JOURNAL_LINE_MAX bytes with its newline,
 * appended by one write(2), so that the daemons of several steps can write at once; where a full
 * file system has cut the line before, a `%` and a newline go before it. Bytes of a
 * value other than letters, digits and `_./:,@+()[]-` stand as %XX. Unknown verbs and keys are to
 * be skipped. All lines have time=SECONDS.NANOSECONDS since the Epoch.
 *
 * prolog  the job starts here: job, restart, uid, gid, node, boot (the kernel's id of it); from the
 *         job's credential: user, account, partition, qos (from Slurm 26.05 on), cluster, nodes,
 *         cpus (SLURM_JOB_CPUS_PER_NODE), gpus (SLURM_JOB_GPUS: those of this node), het_job
 * step    a step starts here: job, restart, step (as Slurm numbers it: 4294967291 is the batch
 *         step), uid, gid, node, boot, nodes and node_id (of the step; nodes=0 in the batch step),
 *         tasks, local_tasks (those here, for people: no program reads it), cpus (of the job here),
 *         cpus_per_task, pid and ticks of the step's daemon; in the batch step array_job,
 *         array_task (4294967294: none) and qos; and, as the user's environment claims it,
 *         submit_host; opted_out=1 where the user said --jobtrail=no; container=1 where srun was
 *         asked for one
 * noledger  the ledger could not be made: step
 * task    a task was started: step, task, pid, ticks (its start, clock ticks since boot)
 * program  what a task is to run: step, task, leader (the first task of the same program,
 *         4294967294: unknown), path, and, where that is not absolute, cwd and search (PATH); no
 *         path where a multi-prog configuration is too large
 * exit    Slurm waited for a task: step, task, pid, status (as wait(2) gives it)
 * end     the step is over on this node: step
 * epilog  the job is over here; what the prolog has of the credential. The first one counts: a
 *         later run of a requeued job adds its own to what a crash has left of this one
 *
 * A user decides how many steps and tasks there are, and what his programs are called. So the file
 * does not grow beyond JOURNAL_BYTES, and each kind of line leaves room for those that matter more:
 * `program` ends at half of it, `step`, `noledger` and `task` at three quarters, `exit` and `end`
 * at its end. `prolog` and `epilog`, one of each for a run, are always written. A line that is left
 * out is a byte in the file JOURNAL_LEFT_OUT beside it, JOURNAL_LEFT_OUT_MAX at the most: what has
 * so many means "or more".
 */
#ifndef JOBTRAIL_JOURNAL_H
#define JOBTRAIL_JOURNAL_H

#include <stddef.h>
#include <stdint.h>

#define JOURNAL_NAME         "journal"
#define JOURNAL_LINE_MAX     4096
#define JOURNAL_BYTES        (UINT64_C(64) << 20)
#define JOURNAL_LEFT_OUT     "journal.left_out"
#define JOURNAL_LEFT_OUT_MAX (1 << 20)

#define JOURNAL_STEP_BATCH       4294967291u
#define JOURNAL_STEP_EXTERN      4294967292u
#define JOURNAL_STEP_INTERACTIVE 4294967290u
#define JOURNAL_NONE             4294967294u /* Slurm's NO_VAL */

#endif
