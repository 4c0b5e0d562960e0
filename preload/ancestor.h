/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The ancestors of this process. What /proc tells about one costs a fifth of a capture, and the
 * processes of one parent ask for the same. So the first of them leaves it in the ledger's head
 * (struct ledger_ancestor), and the others take it from there while the parent is the same process
 * and runs the same program.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "conf/policy/policy.h"
#include "preload/fields.h"
#include "preload/image.h"
#include "preload/proc.h"

/* How much of the ancestors' command lines is recorded. */
struct ancestor_lines {
    const void *policy;              /* usable; its rules may reduce a line to the first argument */
    uint64_t identity;               /* of the policy (struct decide_policy) */
    enum policy_command_line wanted; /* the most that is recorded */
};

struct ancestor_source {
    const struct proc_stat *self; /* pid and ppid */
    int32_t last;                 /* the last ancestor that is recorded; 0: slurmstepd is */
    struct ancestor_lines lines;
    struct ledger_header *head; /* shared; LEDGER_HEAD bytes are mapped */
    bool is_shared;             /* what is recorded may come from there: see ancestor_is_random() */
};

/* Whether the kernel gives programs random addresses, by where it has put the stack of this one. */
bool ancestor_is_random(const struct image *image);

/* Adds a LEDGER_ANCESTOR field for each ancestor up to the process `last` inclusive (0: up to
 * slurmstepd), 16 at the most, and none for pid 1. Adds nothing where this process is `last`. Where
 * the walk ends at pid 1 or at a process that cannot be read, adds LEDGER_NAMESPACE and returns the
 * inode in it; otherwise 0. */
uint64_t ancestor_put_all(const struct ancestor_source *source, struct fields *fields);
