/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The content of a capture: the fields of a slot, taken from the process itself.
 */
#ifndef JOBTRAIL_CAPTURE_H
#define JOBTRAIL_CAPTURE_H

#include "preload/decide.h"
#include "preload/fields.h"
#include "preload/image.h"
#include "preload/proc.h"
#include "preload/switches.h"

struct capture_source {
    const struct image *image;
    const struct switches *switches;
    const struct decide_policy *policy; /* usable */
    const struct exec_path *path;
    const struct proc_stat *self;
    struct ledger_header *head; /* shared; LEDGER_HEAD bytes are mapped */
};

/* Adds the fields. Returns the inode of the pid namespace where LEDGER_NAMESPACE is among them, or
 * 0. Where the objects of a dynamic program cannot be found, LEDGER_SLOT_CUT is among the flags. */
uint64_t capture_fill(const struct capture_source *source, struct fields *fields);

#endif
