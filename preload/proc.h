/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What /proc says of this process and of its ancestors (proc(5)).
 */
#ifndef JOBTRAIL_PROC_H
#define JOBTRAIL_PROC_H

#include <stddef.h>
#include <stdint.h>

#include "conf/policy/policy.h"
#include "preload/fields.h"

struct proc_stat {
    int32_t pid;
    int32_t ppid;
    uint64_t start_ticks; /* since boot */
    char name[64];        /* the command's, at the most 15 bytes for a program */
};

/* Reads /proc/PID/stat; pid 0 stands for the calling process. Returns 1, or 0 where /proc cannot
 * tell. */
int proc_stat(int32_t pid, struct proc_stat *stat);

/* The address of argc on the stack of the calling process, as the kernel laid it out: argv, envp
 * and the auxiliary vector follow. 0 where /proc cannot tell. */
uintptr_t proc_start_stack(void);

/* How much of the command lines of others is recorded. */
struct proc_lines {
    const void *policy;              /* usable */
    enum policy_command_line wanted; /* of an ancestor that the rules leave out, the first argument
                                        at the most */
};

/* Adds a LEDGER_ANCESTOR field for each ancestor of `self` up to the process `last` inclusive (0:
 * up to slurmstepd), at the most 16, and none for pid 1. Nothing where `self` is `last`. Where the
 * walk does not come to its end, adds the process's LEDGER_NAMESPACE. */
void proc_ancestors(const struct proc_stat *self, int32_t last, const struct proc_lines *lines,
                    struct fields *fields);

#endif
