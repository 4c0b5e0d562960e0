/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * This process and its ancestors, from /proc (proc(5)).
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

/* Reads /proc/PID/stat; pid 0 stands for the calling process. Returns 1, or 0 where it cannot be
 * read. */
int proc_stat(int32_t pid, struct proc_stat *stat);

/* The address of argc on the stack of the calling process; argv, envp and the auxiliary vector
 * follow. 0 where it cannot be read. */
uintptr_t proc_start_stack(void);

/* How much of the ancestors' command lines is recorded. */
struct proc_lines {
    const void *policy;              /* usable; its rules may reduce a line to the first argument */
    enum policy_command_line wanted; /* the most that is recorded */
};

/* Adds a LEDGER_ANCESTOR field for each ancestor of `self` up to the process `last` inclusive (0:
 * up to slurmstepd), 16 at the most, and none for pid 1. Adds nothing where `self` is `last`. Where
 * the walk ends at pid 1 or at a process that cannot be read, adds LEDGER_NAMESPACE. */
void proc_ancestors(const struct proc_stat *self, int32_t last, const struct proc_lines *lines,
                    struct fields *fields);

#endif
