/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "spank/options.h"

#include <stdlib.h>
#include <string.h>

#include "conf/policy/policy.h"
#include "spank/profile_part.h"
#include "spank/settings.h"

/* Slurm calls option_given() in slurmstepd for each option of the step, before it forks. */
static bool is_opted_out;

static int option_given(int value, const char *argument, int remote)
{
    (void)value;
    bool no = argument != NULL && strcmp(argument, "no") == 0;
    if (!no && (argument == NULL || strcmp(argument, "yes") != 0)) {
        if (remote)
            return 0;
        slurm_error("jobtrail: write --jobtrail=yes or --jobtrail=no");
        return -1; /* which ends srun */
    }
    is_opted_out = no;
    return 0;
}

static void register_profile(spank_t spank, uint32_t switches)
{
    char name[] = "jobtrail-profile", values[] = "light|exact|no[,ranks=LIST]";
    char usage[] = "note how long MPI takes, and functions that were built with "
                   "-finstrument-functions";
    struct spank_option option = {.name = name,
                                  .arginfo = values,
                                  .usage = usage,
                                  .has_arg = 2,
                                  .val = (switches & POLICY_PROFILE_KEPT) != 0,
                                  .cb = profile_part->option_given};
    spank_option_register(spank, &option); /* copies it */
    if (profile_part->begin == NULL && getenv("JOBTRAIL_PROFILE") != NULL)
        profile_part->option_given(0, NULL, spank_context() == S_CTX_REMOTE);
}

void options_register(spank_t spank, const char *conf)
{
    char name[] = "jobtrail", values[] = "yes|no";
    char usage[] = "no: leave no records of the software that runs";
    struct spank_option option = {
        .name = name, .arginfo = values, .usage = usage, .has_arg = 1, .cb = option_given};
    struct settings settings;
    if (settings_open(conf, &settings) != 0)
        return;
    if (settings.switches & POLICY_OPT_OUT)
        spank_option_register(spank, &option); /* copies it */
    if (settings.switches & (POLICY_PROFILE_ASKED | POLICY_PROFILE_ALL))
        register_profile(spank, settings.switches);
    settings_close(&settings);
}

void options_tell_prolog(spank_t spank)
{
    if (is_opted_out)
        spank_job_control_setenv(spank, "JOBTRAIL_OPTED_OUT", "1", 1);
}

void options_opt_out(void)
{
    is_opted_out = true;
}

bool options_is_opted_out(void)
{
    return is_opted_out;
}
