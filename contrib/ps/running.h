/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The runs of a job's ledger that go on now on this node.
 *
 * The ledger is the user's: a reader which has become the user (worker.h) reads it, within bounds
 * of time and memory. What it tells is believed of the user's own programs alone: each run has a
 * process of this user that lives, as the kernel says to who calls this.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "conf/conf.h"
#include "submit/evidence/ledger_read.h"

/* No more runs of one job are reported. */
enum { RUNNING_MAX = 16384 };

struct running {
    int32_t pid;         /* as this process sees it */
    uint32_t step, task; /* UINT32_MAX: unknown */
    uint32_t rank, size; /* of an MPI program; 0 and 1 where there is no MPI */
    uint64_t start_ns;   /* since the Epoch */
    uint8_t uuid[16];
    struct capture_bytes path; /* of the executable; owned */
};

struct running_list {
    struct running *run; /* owned; in the order of their starts */
    size_t count;
    bool is_cut; /* there are more than RUNNING_MAX, or the time was over */
};

/* Reads the ledger open at `ledger`, of the user `uid` with the group `gid`. Returns 0; -EINVAL
 * where it is none; -EPROTO where its reader was ended by what is in it; or another -errno.
 * running_free() releases `*list`, which is written only on success. */
int running_read(const struct conf *conf, int ledger, uid_t uid, gid_t gid,
                 struct running_list *list);

void running_free(struct running_list *list);
