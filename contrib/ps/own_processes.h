/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The processes of one user on this node, as far as this process sees them.
 */
#ifndef JOBTRAIL_OWN_PROCESSES_H
#define JOBTRAIL_OWN_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "submit/evidence/ledger_read.h"

struct own_process {
    int32_t pid;          /* as this process sees it */
    int32_t inside;       /* as it sees itself; another one in a pid namespace of its own */
    uint64_t start_ticks; /* clock ticks from boot */
};

struct own_processes {
    struct own_process *process; /* owned; by `inside` */
    size_t count;
};

/* Lists those of the user `uid` that are not over. Returns 0 or -errno; own_processes_free()
 * releases. */
int own_processes_list(uid_t uid, struct own_processes *processes);

/* The process that runs the program of the capture; NULL: none does any more. A program of another
 * name in the process is another one: a program that is not recorded may have replaced it. */
const struct own_process *own_processes_find(const struct own_processes *processes,
                                             const struct capture *capture);

void own_processes_free(struct own_processes *processes);

#endif
