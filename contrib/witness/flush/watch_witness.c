/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The kernel's witness (jobtrail-submit witness) as a child of the node's watcher.
 */
#include <signal.h>

#include "submit/flush/watch_child.h"

static struct kept_child child;

static int watch_witness_ended(void)
{
    return child.ended > 0 ? child.ended : -1;
}

static void watch_witness_keep(const char *path, const char *node, const struct conf *conf)
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

const struct watch_child watch_child_witness = {watch_witness_keep, watch_witness_ended};
