/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/command/doctor_checks.h"

#include <stddef.h>

#include "extensions.h"

#define NODE    ROLE_NODE
#define STARTS  (ROLE_NODE | ROLE_LOGIN) /* where steps and programs start */
#define COLLECT ROLE_COLLECTOR
#define ALL     (STARTS | COLLECT)

/* doctor_slurm() finds out which configuration is looked at. */
const struct doctor_check doctor_checks[] = {
    {STARTS, false, doctor_slurm},      {STARTS, true, doctor_files},
    {STARTS, true, doctor_tracking},    {NODE, true, doctor_spool},
#if JOBTRAIL_WITNESS
    {NODE, true, doctor_witness},
#endif
#if JOBTRAIL_PROFILE
    {NODE, true, doctor_profiles},
#endif
    {STARTS, true, doctor_directories}, {STARTS, true, doctor_secrets},
    {STARTS, true, doctor_transports},  {STARTS, true, doctor_links},
#if JOBTRAIL_ROUTINES
    {STARTS, true, doctor_routines},
#endif
    {STARTS, true, doctor_flush},
#if JOBTRAIL_ANSWERS
    {ALL, true, doctor_answers},
#endif
#if JOBTRAIL_LIBRARIES
    {ALL, true, doctor_libraries},
#endif
    {STARTS, true, doctor_run},         {COLLECT, false, doctor_collector},
#if JOBTRAIL_LIBRARIES
    {ALL, false, doctor_documentation},
#endif
    {ALL, false, doctor_timer},         {0, false, NULL},
};
