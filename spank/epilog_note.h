/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Lines of the journal that are made from the environment of root's prolog or epilog: SPANK's, or
 * the site's script (slurm.conf(5), Prolog). Slurm gives both the same variables.
 */
#ifndef JOBTRAIL_EPILOG_NOTE_H
#define JOBTRAIL_EPILOG_NOTE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Appends the line `epilog` to each journal of the job below the node's spool directory `spool`
 * that belongs to a job of the user `uid`. Returns whether there is any directory of the job. */
bool epilog_note(const char *spool, uint32_t job, uid_t uid);

/* Appends the line `credential` to the journal of the job's run that goes on, for a Prolog script
 * that runs inside of the job (slurm_release.h). Returns as above. */
bool epilog_note_credential(const char *spool, uint32_t job, uid_t uid);

#endif
