/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What children used that a program has forked and that executed nothing: no run is theirs, as of
 * workers of Python's multiprocessing. It is told beside what the program's own process used
 * (kernel_notes.h, struct kernel_forked).
 */
#ifndef JOBTRAIL_KERNEL_FORKED_H
#define JOBTRAIL_KERNEL_FORKED_H

#include "submit/job/kernel_notes.h"

/* Adds each such process to the nearest one above it that executed a program, if that was its last
 * one by then: what an earlier program of the process had forked is told of none. The notes are in
 * order. Returns 0 or -ENOMEM. */
int kernel_forked_add(struct kernel_notes *notes);

#endif
