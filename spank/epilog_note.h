/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The line `epilog` of the journal, made from the environment of root's epilog. That is the SPANK
 * epilog or the site's script (slurm.conf(5), Epilog): Slurm gives both the same variables.
 */
#ifndef JOBTRAIL_EPILOG_NOTE_H
#define JOBTRAIL_EPILOG_NOTE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Appends the line to each journal of the job below the node's spool directory `spool` that belongs
 * to a job of the user `uid`. Returns whether there is any directory of the job. */
bool epilog_note(const char *spool, uint32_t job, uid_t uid);

#endif
