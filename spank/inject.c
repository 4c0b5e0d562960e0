/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "spank/inject.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/policy/policy.h"
#include "spank/hooks.h"
#include "spank/leader.h"
#include "spank/path_list.h"
#include "spank/profile_part.h"
#include "spank/spool_path.h"

enum { PRELOAD_MAX = 16384 };

/* With a library that is missing the loader would print an error in every process of the job. A
 * `$PLATFORM` in the path is not expanded here: the installation has a link of that name. */
static bool is_readable(const char *library)
{
    return access(library, R_OK) == 0;
}

static int add_preload(spank_t spank, const char *library)
{
    char user[PRELOAD_MAX];
    char value[PRELOAD_MAX + PATH_MAX];
    spank_err_t error = spank_getenv(spank, "LD_PRELOAD", user, sizeof user);
    if (error == ESPANK_ENV_NOEXIST)
        user[0] = '\0';
    else if (error != ESPANK_SUCCESS)
        return -ENAMETOOLONG;
    int result = preload_list_add(library, user, value, sizeof value);
    if (result == 0 && spank_setenv(spank, "LD_PRELOAD", value, 1) != ESPANK_SUCCESS)
        result = -EINVAL;
    return result;
}

static int add_readable(spank_t spank, const char *library)
{
    return is_readable(library) ? add_preload(spank, library) : -ENOENT;
}

/* The first rank of the task's executable, as SLURM_PROCID counts. In a step with several programs
 * S_JOB_ARGV has the path of the multi-prog configuration and its text. In a heterogeneous step
 * SPANK numbers the tasks of each component from 0, and SLURM_PROCID those of all components. */
static uint32_t leader_of(spank_t spank, uint32_t rank)
{
    char procid[16];
    char **argv = NULL;
    int argc = 0;
    uint32_t leader = 0;
    if (spank_get_item(spank, S_JOB_ARGV, &argc, &argv) == ESPANK_SUCCESS && argc == 2)
        leader = leader_find(argv[1], rank);
    if (spank_getenv(spank, "SLURM_PROCID", procid, sizeof procid) == ESPANK_SUCCESS)
        leader += (uint32_t)strtoul(procid, NULL, 10) - rank;
    return leader;
}

void inject_spool(spank_t spank, const struct settings *settings, uint32_t job, uint32_t restart)
{
    char spool[PATH_MAX + 64], name[SPOOL_NAME_MAX];
    spool_name(job, restart, name);
    snprintf(spool, sizeof spool, "%s/%s/" SPOOL_USER, settings->spool, name);
    spank_setenv(spank, "JOBTRAIL_SPOOL", spool, 1);
}

/* The file that this slurmstepd runs, whatever its name. Some releases execute it once more, as the
 * user, to start the task's prolog (slurm_release.h): that is no run. */
static void set_stepd(spank_t spank)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0)
        return;
    path[length] = '\0';
    spank_setenv(spank, "JOBTRAIL_STEPD", path, 1);
}

int inject_task(spank_t spank, const struct settings *settings)
{
    char task[48], leader[16];
    uint32_t step = 0, rank = 0;
    if (!is_readable(settings->library))
        return -ENOENT;
    spank_get_item(spank, S_JOB_STEPID, &step);
    spank_get_item(spank, S_TASK_GLOBAL_ID, &rank);
    snprintf(task, sizeof task, "%u.%u.%d", step, rank, (int)getpid());
    spank_setenv(spank, "JOBTRAIL_POLICY", settings->policy_path, 1);
    spank_setenv(spank, "JOBTRAIL_TASK", task, 1);
    snprintf(leader, sizeof leader, "%u", leader_of(spank, rank));
    spank_setenv(spank, "JOBTRAIL_LEADER", leader, 1);
    set_stepd(spank);
    static const struct {
        uint32_t bit;
        const char *name;
    } names[] = {
        {POLICY_TRACK_SCALAR, "XALT_SCALAR_TRACKING"},
        {POLICY_TRACK_MPI, "XALT_MPI_TRACKING"},
        {POLICY_SAMPLE, "XALT_SAMPLING"},
    };
    spank_setenv(spank, "XALT_EXECUTABLE_TRACKING", "yes", 1);
    if (settings->switches &
        POLICY_CATCH_SIGNALS) /* a default that the user's own value overrides */
        spank_setenv(spank, "XALT_SIGNAL_HANDLER", "yes", 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        spank_setenv(spank, names[i].name, settings->switches & names[i].bit ? "yes" : "no", 1);
    hooks_set(spank, settings);
    /* Its library comes second. */
    if (profile_part->inject != NULL)
        profile_part->inject(spank, settings->switches, settings->library, add_readable);
    return add_preload(spank, settings->library);
}
