/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What doctor's checks ask of Slurm's configuration on this machine.
 */
#ifndef JOBTRAIL_DOCTOR_SLURM_H
#define JOBTRAIL_DOCTOR_SLURM_H

#include <stdbool.h>
#include <stddef.h>

#include "conf/command/doctor.h"

/* The line that plugstack.conf should have for this plugin ("": the one that was installed together
 * with this program) and this configuration. */
void doctor_good_line(const char *plugin, const char *conf, char *text, size_t size);

/* Whether PrologFlags of slurm.conf has RunInJob (Slurm 24.05 and later). Then prolog and epilog
 * run in the slurmstepd of the extern step, which does not call those of SPANK plugins. */
bool doctor_runs_in_job(void);

/* Looks at the plugin's file: for which Slurm it is, and whether slurmd of this node has loaded it.
 */
void doctor_plugin(struct doctor *doctor, const char *path);

#endif
