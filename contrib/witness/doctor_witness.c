/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The kernel witness of this node (jobtrail-submit witness): whether it runs where [witness] asks
 * for it, what the kernel refuses, and what was lost.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/base/directory.h"
#include "conf/command/doctor_checks.h"
#include "contrib/witness/job/witness_state.h"
#include "spank/spool_path.h"

static void add_refused(struct doctor *doctor, const char *path, int events)
{
    doctor_add(doctor, FINDING_WARN, "witness", path, "",
               "the kernel does not report processes (%s): [witness] has no effect here",
               strerror(events));
    doctor_mend(doctor, "run slurmd outside of containers, on Linux 5.12 or newer, or write "
                        "'level = off' in [witness] of jobtrail.conf");
}

static void add_running(struct doctor *doctor, const char *path, const struct witness_state *state)
{
    if (state->ends != 0) {
        doctor_add(doctor, FINDING_WARN, "witness", path, "",
                   "the kernel does not report how processes ended (%s): only times are known",
                   strerror(state->ends));
        doctor_mend(doctor, "it does on Linux 5.19 or newer, in the first pid and network "
                            "namespace: start slurmd there");
    }
    if (state->lost + state->overruns + state->left > 0) {
        doctor_add(doctor, FINDING_WARN, "witness", path, "",
                   "lost since its start: %" PRIu64 " events, ends of threads %" PRIu64
                   " times, and %" PRIu64 " processes (no room)",
                   state->lost, state->overruns, state->left);
        doctor_mend(doctor, "nothing, if it was one burst of processes; records of such jobs are "
                            "as without the witness");
    }
    doctor_add(doctor, FINDING_OK, "witness", path, "",
               "running; jobs: %" PRIu64 ", processes that have ended: %" PRIu64, state->jobs,
               state->noted);
}

/* Root alone can see it. */
void doctor_witness(struct doctor *doctor, const struct conf *conf)
{
    char path[PATH_MAX];
    struct witness_state state;
    bool is_running = false;
    if (conf->witness == CONF_WITNESS_OFF ||
        spool_expand(conf->spool, doctor->node, path, sizeof path) != 0)
        return;
    CLEANUP_CLOSE int spool = directory_open(AT_FDCWD, path);
    int error = spool < 0 ? spool : witness_state_read(spool, &state, &is_running);
    const bool is_auto = conf->witness == CONF_WITNESS_AUTO;
    if (error == -EACCES || (error == -ENOENT && is_auto)) /* not asked yet */
        return;
    if (error == 0 && is_auto && (state.events != 0 || state.ends != 0)) {
        doctor_add(doctor, FINDING_OK, "witness", path, "",
                   "off: the kernel did not report to it at its last start (%s)",
                   strerror(state.events != 0 ? state.events : state.ends));
    } else if (error == 0 && state.events != 0) {
        add_refused(doctor, path, state.events);
    } else if (error != 0 || !is_running) {
        doctor_add(doctor, FINDING_WARN, "witness", path, "",
                   "no kernel witness is running: [witness] has no effect here");
        doctor_mend(doctor, "the process watch starts it within a minute: see syslog for "
                            "jobtrail-submit");
    } else {
        add_running(doctor, path, &state);
    }
}
