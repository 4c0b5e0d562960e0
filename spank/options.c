/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "spank/options.h"

#include <string.h>

#include "conf/policy/policy.h"
#include "spank/settings.h"

/* Slurm tells a step's options to the callback below in slurmstepd, before it forks. */
static int opted_out;

static int take(int value, const char *argument, int remote)
{
    (void)value;
    int no = argument != NULL && strcmp(argument, "no") == 0;
    if (!no && (argument == NULL || strcmp(argument, "yes") != 0)) {
        if (remote)
            return 0;
        slurm_error("jobtrail: write --jobtrail=yes or --jobtrail=no");
        return -1; /* which ends srun */
    }
    opted_out = no;
    return 0;
}

void options_register(spank_t spank, const char *conf)
{
    char name[] = "jobtrail", values[] = "yes|no";
    char usage[] = "no: leave no records of the software that runs";
    struct spank_option option = {
        .name = name, .arginfo = values, .usage = usage, .has_arg = 1, .cb = take};
    struct settings settings;
    if (settings_open(conf, &settings) != 0)
        return;
    if (settings.switches & POLICY_OPT_OUT)
        spank_option_register(spank, &option); /* copies it */
    settings_close(&settings);
}

int options_opted_out(void)
{
    return opted_out;
}
