/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The jobs on this node that a user may ask about: root about all of them, others about their own.
 * Others cannot list the spool. So they name a job, or it is the one that this process is in, or
 * those that their processes here are in.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum ps_verdict {
    PS_OPEN,      /* its ledger is open */
    PS_OVER,      /* the job has ended here, or the node was booted since */
    PS_UNKNOWN,   /* there is no directory of it */
    PS_FOREIGN,   /* it is another user's */
    PS_NO_LEDGER, /* no step that is recorded has begun */
    PS_OPTED_OUT, /* the same, and one had --jobtrail=no */
    PS_ELSEWHERE, /* its ledger is mounted in another mount namespace */
    PS_FAILED,    /* `error` says why */
};

struct ps_job {
    uint32_t job, restart;
    uid_t uid;
    gid_t gid;
    char *user; /* owned; "": unknown */
    enum ps_verdict verdict;
    int error;      /* -errno, of PS_FAILED */
    int ledger;     /* owned; -1 unless PS_OPEN */
    bool opted_out; /* the job or a step of it had --jobtrail=no */
};

struct ps_jobs {
    struct ps_job *job; /* owned */
    size_t count;
};

/* Finds the `count` jobs of these ids in the directory `spool` of this node. With `count` 0: the
 * job that this process is in, unless `all`, or all there are. Returns 0, with one or more entries
 * for each job named; or -errno where the spool cannot be read. ps_jobs_free() releases. */
int ps_jobs_find(const char *spool, const uint32_t *ids, size_t count, bool all,
                 struct ps_jobs *jobs);

void ps_jobs_free(struct ps_jobs *jobs);
