/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/profile_advice.h"

#include <stdbool.h>
#include <string.h>

const char *profile_advice(const struct conf *conf)
{
    bool has_directory = conf->profile_directory[0] != '\0';
    bool has_files =
        strcmp(conf->profile_samples, "none") != 0 || strcmp(conf->profile_logs, "none") != 0;
    if (conf->profile_steps != CONF_PROFILE_NONE && !has_directory)
        return "[profile] steps without directory: profiles are made, and removed with the job: "
               "nobody can read them";
    if (conf->profile_steps == CONF_PROFILE_NONE && (has_directory || has_files))
        return "[profile] steps = none: no step leaves a profile, so the other keys have no effect";
    return NULL;
}
