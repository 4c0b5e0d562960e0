/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The variables of the environment that a run's record needs whatever [environment] in
 * jobtrail.conf(5) keeps: the number of threads, and outside of Slurm what tells the batch system's
 * job. They are those that XALT reads (buildUserT.c and translate.c of XALT 3.2.4), but for LSF, of
 * which XALT reads names that LSF does not set. The library takes them, LEDGER_FACTS in ledger.h
 * holds them, the flush reads them. docs/privacy.md lists them.
 */
#pragma once

/* Taken of each run. */
#define FACT_THREADS "OMP_NUM_THREADS"

/* Taken outside of Slurm alone: of Slurm's jobs the journal tells. FACT(NAME) for each. */
/* clang-format off */
#define FACT_VARIABLES(FACT) \
    FACT(PBS_JOBID) \
    FACT(PBS_QUEUE) \
    FACT(PBS_ACCOUNT) \
    FACT(PBS_O_HOST) \
    FACT(PBS_NUM_NODES) \
    FACT(SGE_ACCOUNT) \
    FACT(JOB_ID) \
    FACT(QUEUE) \
    FACT(NHOSTS) \
    FACT(LSF_VERSION) \
    FACT(LSB_JOBID) \
    FACT(LSB_QUEUE) \
    FACT(LSB_EXEC_CLUSTER) \
    FACT(LSB_MCPU_HOSTS)
/* clang-format on */

#define FACT_LONGEST "LSB_EXEC_CLUSTER"
#define FACT_HOSTS   "LSB_MCPU_HOSTS" /* lists the job's hosts */

enum {
    FACT_VALUE_MAX = 255,  /* bytes of a value; a longer one is cut */
    FACT_HOSTS_MAX = 4095, /* of FACT_HOSTS */
};
