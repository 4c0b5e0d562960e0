/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What root's own programs have noted of a job's processes, beside its journal.
 */
#ifndef JOBTRAIL_ROOTS_NOTES_H
#define JOBTRAIL_ROOTS_NOTES_H

#include "submit/job/kernel_notes.h"
#include "submit/job/looks.h"

struct roots_notes {
    struct looks looks;
    struct kernel_notes kernel;
};

/* Reads them in the job's directory in the spool. A witness that runs has what just ended still to
 * write: it is waited for, but not for long. Returns 0 or -errno; roots_notes_free() releases after
 * success. */
int roots_notes_read(int spool, int directory, struct roots_notes *notes);
void roots_notes_free(struct roots_notes *notes);

#endif
