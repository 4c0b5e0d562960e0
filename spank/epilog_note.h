/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The line of the epilog in the journals, from the environment of root's epilog: SPANK's, or the
 * site's script (slurm.conf(5), Epilog), which Slurm gives the same variables.
 */
#ifndef JOBTRAIL_EPILOG_NOTE_H
#define JOBTRAIL_EPILOG_NOTE_H

#include <stdint.h>
#include <sys/types.h>

/* Appends the line to each journal that the spool directory `spool` of this node has of the job and
 * that is of this user. Returns whether there is anything of the job. */
int epilog_note(const char *spool, uint32_t job, uid_t uid);

#endif
