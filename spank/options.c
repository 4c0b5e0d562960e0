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

static int option_refused(int value, const char *argument, int remote)
{
    (void)value, (void)argument;
    if (remote)
        return 0;
    slurm_error("jobtrail: this site does not let users leave steps out ([tracking] opt_out)");
    return -1;
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
    char refused[] = "refused: this site does not let users leave steps out";
    struct spank_option option = {
        .name = name, .arginfo = values, .usage = usage, .has_arg = 1, .cb = option_given};
    struct settings settings;
    if (settings_open(conf, &settings) != 0)
        return;
    bool may_profile = (settings.switches & (POLICY_PROFILE_ASKED | POLICY_PROFILE_ALL)) != 0;
    bool may_opt_out = (settings.switches & POLICY_OPT_OUT) != 0;
    if (!may_opt_out) {
        option.cb = option_refused;
        option.usage = refused;
    }
    /* Without this one --jobtrail=no would be the beginning of --jobtrail-profile=no. */
    if (may_opt_out || may_profile)
        spank_option_register(spank, &option); /* copies it */
    if (may_profile)
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
