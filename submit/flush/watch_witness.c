/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/watch_witness.h"

#include <signal.h>

#include "submit/flush/kept_child.h"

static struct kept_child child;

int watch_witness_ended(void)
{
    return child.ended > 0 ? child.ended : -1;
}

void watch_witness_keep(const char *path, const char *node, const struct conf *conf)
{
    static uint32_t level;
    if (kept_child_runs(&child)) {
        if (conf->witness != level)
            kill(child.pid, SIGTERM); /* its end brings another one */
        return;
    }
    level = conf->witness;
    if (level != CONF_WITNESS_OFF)
        kept_child_start(&child, "/proc/self/exe",
                         (char *[]){"jobtrail-submit", "witness", "--detach", "--conf",
                                    (char *)path, "--node", (char *)node, NULL});
}
