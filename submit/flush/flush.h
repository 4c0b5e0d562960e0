/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Makes records of what jobs left on this node, once. A job's spool directory is removed when its
 * records are in the outbox, on the disk; until then it stays for the next flush. Then what is in
 * the outbox is sent, as far as there is time.
 */
#ifndef JOBTRAIL_FLUSH_H
#define JOBTRAIL_FLUSH_H

#include <stdbool.h>
#include <stdint.h>

#include "conf/conf.h"

struct flush_options {
    const char *node; /* as Slurm names it */
    uint32_t job;     /* 0: all that the node holds */
    bool orphans;     /* only jobs whose epilog has begun, or that the node's last boot ended */
    bool sessions;    /* not jobs, but sessions outside of Slurm */
    bool dry_run;     /* print the records, send and remove nothing */
};

struct flush_count {
    uint64_t jobs;        /* directories dealt with */
    uint64_t records;     /* handed to the outbox */
    uint64_t packages;    /* records of packages, handed to the outbox */
    uint64_t unhooked;    /* runs that were marked for a package hook, and had none */
    uint64_t dropped;     /* captures that found no room while the jobs ran */
    uint64_t damaged;     /* captures, and lines of package hooks, that could not be used */
    uint64_t left_out;    /* lines that had no place in a journal (spank/journal.h) */
    uint64_t quarantined; /* directories set aside */
    uint64_t lost;        /* directories that had no place in the quarantine */
    uint64_t left;        /* directories that a later job of the same id has found */
    uint64_t running;     /* directories left alone, as their job still runs here */
    uint64_t failed;      /* directories that are still there to be tried again */
    uint64_t overflowed; /* jobs, and users of sessions, whose records find no room in the outbox */
    uint64_t refused;    /* records that a receiver will never take, set aside */
    uint64_t waiting;    /* transports that still have something to send */
};

/* Flushes. Trouble with one job is told on stderr and does not keep the others from being flushed.
 * Returns 0, or -errno when the spool or the outbox cannot be used at all; -ESTALE where the spool
 * is mounted in another mount namespace than this one. */
int flush_run(const struct conf *conf, const struct flush_options *options,
              struct flush_count *count);

#endif
