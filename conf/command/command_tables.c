/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The tables of jobtrail-conf: its commands and doctor's findings, with those of extensions.
 */
#include <stddef.h>

#include "conf/command/command.h"
#include "conf/command/doctor_checks.h"
#include "conf/command/explain.h"
#include "extensions.h"

#define NODE    ROLE_NODE
#define STARTS  (ROLE_NODE | ROLE_LOGIN) /* where steps and programs start */
#define COLLECT ROLE_COLLECTOR
#define ALL     (STARTS | COLLECT)

/* clang-format off */
const struct doctor_check doctor_checks[] = {
    {STARTS, false, doctor_slurm}, /* finds out which configuration is looked at */
    {ALL, true, doctor_left_out},
    {STARTS, true, doctor_files},
    {STARTS, true, doctor_tracking},
    {STARTS, true, doctor_transports},
    {NODE, true, doctor_spool},
#if JOBTRAIL_WITNESS
    {NODE, true, doctor_witness},
#endif
#if JOBTRAIL_PROFILE
    {NODE, true, doctor_profiles},
#endif
#if JOBTRAIL_ROUTINES
    {STARTS, true, doctor_routines},
#endif
#if JOBTRAIL_ANSWERS
    {ALL, true, doctor_answers},
#endif
#if JOBTRAIL_LIBRARIES
    {ALL, true, doctor_libraries},
    {ALL, false, doctor_documentation},
#endif
    {COLLECT, false, doctor_collector},
    {ALL, false, doctor_timer},
    {STARTS, true, doctor_run},
    {0, false, NULL},
};
/* clang-format on */

const struct explain_file explain_files[EXPLAIN_FILES] = {
    {offsetof(struct options, library), "--library", "libraries",
     JOBTRAIL_LIBRARIES ? explain_library : NULL},
    {offsetof(struct options, routines), "--routines", "routines",
     JOBTRAIL_ROUTINES ? explain_routines : NULL},
};

const char *(*const command_advice)(const struct conf *conf) = JOBTRAIL_PROFILE ? profile_advice
                                                                                : NULL;
