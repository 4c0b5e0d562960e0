/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What starts jobtrail's programs at regular times.
 */
#pragma once

#include <stdbool.h>

#include "conf/command/doctor.h"

/* What has to be started. */
struct doctor_duty {
    unsigned roles;               /* of whom; 0: a check asks for it */
    const char *command;          /* as people write it */
    const char *program, *option; /* words of it */
    const char *timer;            /* of ours that starts it */
    const char *otherwise;        /* what happens where nothing starts it */
};

/* Looks for a timer of systemd's, or a line of cron's, that runs it. Returns whether there is one,
 * and adds a finding if so, or if `is_needed`. */
bool doctor_duty(struct doctor *doctor, const struct doctor_duty *duty, bool is_needed);
