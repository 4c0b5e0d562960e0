/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the environment says about tracking: the plugin's variables, XALT's switches that users
 * know, and the rank and size that an MPI launcher gave this process. One pass over the
 * environment, no system call.
 */
#ifndef JOBTRAIL_SWITCHES_H
#define JOBTRAIL_SWITCHES_H

#include <stdint.h>

struct switches {
    const char *spool;    /* JOBTRAIL_SPOOL: the job's spool directory; NULL: not in a job */
    const char *policy;   /* JOBTRAIL_POLICY: path of the compiled policy */
    const char *task;     /* JOBTRAIL_TASK: "STEP.TASK"; may be NULL */
    int executable;       /* XALT_EXECUTABLE_TRACKING is "yes" */
    int scalar;           /* XALT_SCALAR_TRACKING is not "no" */
    int mpi;              /* XALT_MPI_TRACKING is not "no" */
    uint32_t rank;
    uint32_t size; /* number of ranks; 1 where no launcher says */
};

void switches_read(char **envp, struct switches *switches);

#endif
