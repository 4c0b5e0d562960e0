/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * For how much of a job the kernel's witness speaks, by the job's file (kernel_notes.h): what was
 * lost, and when nobody listened. Root's word, of root's file alone.
 */
#ifndef JOBTRAIL_KERNEL_ACCOUNT_H
#define JOBTRAIL_KERNEL_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "submit/job/kernel_notes.h"

struct kernel_account {
    const char *level;   /* "off": nobody has asked for it; "none": nobody has listened; "ends";
                            "objects": mappings too */
    uint64_t processes;  /* that have ended, and are told of */
    uint64_t older;      /* of these, than the listener */
    uint64_t partial;    /* of these, whose status, or what they used, is not known, or not all */
    uint64_t left;       /* that have ended, and had no room */
    uint64_t lost;       /* events of the node's processes, of whatever job */
    uint64_t overruns;   /* times that ends of the node's threads had no room */
    uint64_t unheard_ns; /* of the job's time nobody listened */
};

/* Of a job that ran between these times since the Epoch; `notes` NULL: nothing was told;
 * `is_wanted`: the site asks for the witness. */
struct kernel_account kernel_account_find(const struct kernel_notes *notes, uint64_t start_ns,
                                          uint64_t end_ns, bool is_wanted);

/* Whether nobody listened at some time between these two, within the job. */
bool kernel_account_is_unheard(const struct kernel_notes *notes, uint64_t from_ns, uint64_t to_ns);

#endif
