/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The variables of the environment that decide about tracking: the plugin's, XALT's switches, and
 * the rank and size from an MPI launcher. They are read in one pass without a system call.
 */
#pragma once

#include <stdint.h>

/* A switch that may be left to the site. */
enum switch_state { SWITCH_UNSET, SWITCH_NO, SWITCH_YES };

/* XALT_TRACING */
enum switch_trace { TRACE_OFF, TRACE_RANK_0, TRACE_ALL };

struct switches {
    const char *spool;           /* JOBTRAIL_SPOOL: the job's spool directory; NULL: not in a job */
    const char *policy;          /* JOBTRAIL_POLICY: path of the compiled policy */
    const char *task;            /* JOBTRAIL_TASK: "STEP.TASK.PID"; may be NULL */
    const char *stepd;           /* JOBTRAIL_STEPD: the executable of slurmstepd; may be NULL */
    int32_t task_pid;            /* its PID; 0: unknown */
    const char *testing_runtime; /* XALT_TESTING_RUNTIME: seconds to sample by; NULL: unset */
    const char *always_ranks;    /* XALT_MPI_ALWAYS_RECORD; NULL: as the policy says */
    const char *threads;         /* OMP_NUM_THREADS, which records need; NULL: unset */
    enum switch_state executable, scalar, mpi, gpu, sampling, signal_handler, command_line;
    enum switch_trace trace;
    uint32_t rank;
    uint32_t size;   /* number of ranks; 1 where no launcher says */
    uint32_t leader; /* the rank that records for this process's executable: mostly 0 */
};

void switches_read(char **envp, struct switches *switches);
