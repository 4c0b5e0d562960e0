/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The journal: what root has learned from Slurm about a job on one node, in order of time.
 *
 * The file `journal` lies in the job's spool directory, belongs to root and is readable by root
 * alone. It is the only source of identity and of exit statuses: the ledger belongs to the user.
 *
 * A line is `verb key=value key=value ...`, at the most JOURNAL_LINE_MAX bytes with its newline. It
 * is appended by one write(2), so that the daemons of several steps can write at once. Where a full
 * file system has cut the line before, a `%` and a newline are written first. Bytes of a value
 * other than letters, digits and `_./:,@+()[]-` are written as %XX. Readers skip unknown verbs and
 * keys. Each line has time=SECONDS.NANOSECONDS since the Epoch, and up=SECONDS.NANOSECONDS since
 * boot (CLOCK_BOOTTIME). So it shows when the clock is set between two lines.
 * From JOB_FORMATS 2 on each verb begins with the number and a colon, as in `2:step`.
 *
 * prolog  the job starts here: job, restart, uid, gid, node, boot (the kernel's id of it); from the
 *         job's credential: user, account, partition, qos (from Slurm 26.05 on), cluster, nodes,
 *         cpus (SLURM_JOB_CPUS_PER_NODE), node_list (SLURM_NODELIST, where the nodes have different
 *         shares; in a prolog that a step brings, the nodes of that step alone, while cpus are of
 *         all), gpus (SLURM_JOB_GPUS: those of this node), het_job, sluid (from 25.11 on)
 * credential  from the site's Prolog script, where it runs inside of the job: restart, start (of
 *         the job, seconds since the Epoch), and the same keys of the credential as `prolog`. This
 *         restart is right; there the lines of steps have 0
 * again   a batch step that Slurm ran no prolog for, after another run of the job here: restart, as
 *         Slurm says to its task. This restart is right, as above
 * step    a step starts here: job, restart, step (as Slurm numbers it: 4294967291 is the batch
 *         step), uid, gid, node, boot, nodes and node_id (of the step; nodes=0 in the batch step),
 *         tasks, local_tasks (on this node), cpus (of the step here, see below), cores (of this
 *         node that the step holds, as "0-3,8"), job_cores (that the job holds), whole_cores,
 *         cpus_per_task, memory (of the step on this node, MiB, as its user asked; 0: no bound),
 *         pid and ticks of the step's daemon; name_space, the inode of the pid
 *         namespace that its pid and those of its tasks are of; freezes=1 where Slurm suspends by a
 *         freezer of cgroups; in the batch step array_job, array_task (4294967294: none) and qos;
 *         submit_host, from the user's environment and not checked; opted_out=1 with --jobtrail=no;
 *         container=1 with srun --container; profile_ranks where the user said of which ranks of
 *         its profile files are to be kept (conf/base/number_list.h)
 * noledger  the ledger could not be made: step
 * task    a task was started: step, task, pid, ticks (its start, clock ticks since boot), thread,
 *         busy
 * program  what a task is to run: step, task, leader (the first task of the same program,
 *         4294967294: unknown), path, and, where that is not absolute, cwd and search (PATH); no
 *         path where a multi-prog configuration is too large; copy, where srun has copied it here
 *         (--bcast)
 * exit    Slurm waited for a task: step, task, pid, status (as wait(2) gives it), thread, busy,
 *         others=alive where the daemon had children and none of them was dead and not waited for;
 *         where there was a task epilog, forked and forked_busy; died (exit_note.h), nanoseconds
 *         since the Epoch, where the kernel reported it: the task ended then or later; executed,
 *         nanoseconds since the Epoch, where the kernel reported that it executed no program after
 *         that; 0: none at all
 * loader  a task ended with exit code 127 or 1, as loaders end what they cannot start, and the
 *         kernel reported that it had forked nothing (a TaskProlog is forked): step, task, pid;
 *         library_path and preload, which are LD_LIBRARY_PATH and LD_PRELOAD of its step, empty
 *         where unset, left out where they do not fit in and lines `variable` before have them
 * variable  a piece of such a text: step, name (library_path or preload), size (of the whole text,
 *         bytes, JOURNAL_VARIABLE_MAX at the most), at (where the piece begins), text. The daemon
 *         of a step writes each text once, its pieces in their order
 * end     the step is over on this node: step
 * suspend  the process watch saw that the job is suspended: since (when it saw it run, as time)
 * resume  the process watch saw that it goes on: since (when it saw it last suspended)
 * epilog  the job is over here; the same keys of the credential as `prolog`, and start (of the
 *         job, seconds since the Epoch, from Slurm 23.02 on), and restart: of this run, or of the
 *         next one where it is requeued. Readers use the first one: a later
 *         run of a requeued job appends its own to journals that a crash has left
 *
 * Cores are numbered by Slurm, per node from 0 (S_STEP_ALLOC_CORES, S_JOB_ALLOC_CORES); CPUs are
 * Slurm's unit, in which it accounts: threads, where the node has several of a core. What the items
 * are was measured with Slurm 22.05. Job steps, and the interactive step: cpus (S_JOB_NCPUS) is
 * their cores times the node's ThreadsPerCore, whatever they asked for; with srun --exact those of
 * that step alone, without it, with --overlap or with sbatch --exclusive all of the job here. The
 * batch step: cpus and cores are the job's here, cpus as the credential has it. The extern step:
 * cpus=0, and the job's cores. Where SelectTypeParameters has CR_CPU, two jobs may share a core,
 * and the cpus of job steps may be more than the job has. With --hint=nomultithread or
 * --threads-per-core=1 the credential counts one CPU for each core, but with CR_Core Slurm
 * accounts for all threads of these: as job steps say. So whole_cores=1 is in the lines of steps
 * where it has CR_Core or CR_Socket.
 *
 * `thread` is the thread of the step's daemon that wrote the line, `busy` how long it had been on a
 * processor or waiting for one until then (/proc/thread-self/schedstat), in nanoseconds. Both are
 * missing where the kernel does not count that. Where `died` is missing, or older than the task's
 * last program, they tell how much earlier than the line a task may have ended, if a daemon that
 * has waited for a task does not block for long before it writes the line, except for the task's
 * epilogs. It calls the plugin after these. So `forked` is when that thread first forked after it
 * had waited for the task, in nanoseconds since the Epoch, and `forked_busy` is `busy` then: the
 * task ended before that.
 *
 * A user decides how many steps and tasks there are, and what the programs are called. So the file
 * does not grow beyond JOURNAL_BYTES, and less important lines stop earlier: `variable` at a
 * quarter of it, `program` and `loader` at half of it, `step`, `noledger` and `task` at three
 * quarters, `exit`, `end`, `suspend` and `resume` at its end. `prolog` and `epilog`, one of each
 * for a run, are always written. For each line that is left out the file JOURNAL_LEFT_OUT gets one
 * byte. It has JOURNAL_LEFT_OUT_MAX bytes at the most, which stand for "this many or more". There
 * are JOURNAL_PAUSES_MAX lines `suspend` at the most, and as many `resume`: later suspensions are
 * not noted.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define JOURNAL_NAME     "journal"
#define JOURNAL_BYTES    (UINT64_C(64) << 20)
#define JOURNAL_LEFT_OUT "journal.left_out"

enum {
    JOURNAL_LINE_MAX = 4096,
    JOURNAL_LEFT_OUT_MAX = 1 << 20,
    JOURNAL_PAUSES_MAX = 512,
    JOURNAL_VARIABLE_MAX = 64 << 10
};

/* How slurmd names the copy that `srun --bcast` makes of a program, with _NODE at the end in most
 * releases: of the job and the step, both unsigned. */
#define JOURNAL_BCAST_COPY "slurm_bcast_%u.%u"

#define JOURNAL_STEP_BATCH       4294967291u
#define JOURNAL_STEP_EXTERN      4294967292u
#define JOURNAL_STEP_INTERACTIVE 4294967290u
#define JOURNAL_NONE             4294967294u /* Slurm's NO_VAL */

/* What people call a step: "0", "batch", "extern", "interactive"; "unknown" where it has no number,
 * UINT32_MAX. */
static inline void journal_step_text(uint32_t step, char *text, size_t size)
{
    if (step == JOURNAL_STEP_BATCH)
        snprintf(text, size, "batch");
    else if (step == JOURNAL_STEP_EXTERN)
        snprintf(text, size, "extern");
    else if (step == JOURNAL_STEP_INTERACTIVE)
        snprintf(text, size, "interactive");
    else if (step == UINT32_MAX)
        snprintf(text, size, "unknown");
    else
        snprintf(text, size, "%u", step);
}
