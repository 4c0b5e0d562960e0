/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whose records these are: a user, their job on one node, and how Slurm accounts for it. All of it
 * comes from root: from a job's journal, or, outside of Slurm, from the owner of a session's files.
 */
#ifndef JOBTRAIL_JOB_IDENTITY_H
#define JOBTRAIL_JOB_IDENTITY_H

#include <stdint.h>
#include <sys/types.h>

struct job_identity {
    uint32_t job, restart;          /* job 0: of no Slurm job */
    uint32_t array_job, array_task; /* JOURNAL_NONE: of no array */
    uint32_t het_job;               /* JOURNAL_NONE: of no heterogeneous job */
    uid_t uid;                      /* -1: unknown */
    gid_t gid;                      /* -1: unknown */
    /* Owned, never NULL; "" where unknown. `node` is named as Slurm does. */
    char *user, *account, *partition, *qos, *cluster, *node;
};

/* Nobody's: no job, no ids, all texts "". Returns 0 or -ENOMEM; job_identity_free() is to be called
 * in both cases. */
int job_identity_start(struct job_identity *identity);

/* Fills in the user's name by the uid, where it is not known yet. Returns 0 or -ENOMEM; the name of
 * a user without an account stays "". */
int job_identity_name_user(struct job_identity *identity);

/* That of a user outside of Slurm on this node: with the group of the account of `uid`, or with
 * `gid` where there is no such account. Returns 0 or -ENOMEM; job_identity_free() releases
 * `*identity`, which is only written on success. */
int job_identity_of_user(uid_t uid, gid_t gid, const char *node, struct job_identity *identity);

/* Takes one that is all zero, too. */
void job_identity_free(struct job_identity *identity);

#endif
