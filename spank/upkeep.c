/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "spank/upkeep.h"

#include <slurm/spank.h>
#include <stdbool.h>
#include <string.h>

#include "conf/base/host.h"
#include "spank/elder.h"
#include "spank/helper.h"
#include "spank/settings.h"
#include "spank/spool.h"

enum { COMPILE_TIMEOUT_S = 5, WATCH_TIMEOUT_S = 6 };

static bool has_policy(const char *conf)
{
    struct settings settings;
    if (settings_open(conf, &settings) != 0)
        return false;
    settings_close(&settings);
    return true;
}

void upkeep_policy(const char *conf)
{
    char program[PATH_MAX];
    const char *const argv[] = {program, "compile", "--if-newer", "--conf", conf, NULL};
    struct helper_result result = {0};
    char why[sizeof result.message + 64];
    if (elder_is_one() || (!settings_is_stale(conf) && has_policy(conf)))
        return;
    int error = helper_path("jobtrail-conf", program, sizeof program);
    if (error == 0)
        error = helper_run(argv, COMPILE_TIMEOUT_S, &result);
    helper_why(&result, why, sizeof why);
    if (error != 0)
        slurm_info("jobtrail: cannot compile %s: %s", conf, strerror(-error));
    else if (!result.is_finished || result.status != 0)
        slurm_info("jobtrail: %s not compiled: %s", conf,
                   result.is_finished ? why : "it takes too long");
}

/* Runs `jobtrail-submit COMMAND OPTION` for this node and waits `timeout_s` seconds at the most.
 * With 0 it runs in the background and its failures are not reported. */
static void run_submit(const char *conf, const char *command, const char *option,
                       unsigned timeout_s)
{
    struct settings settings;
    struct helper_result result = {0};
    char why[sizeof result.message + 64];
    if (settings_open(conf, &settings) != 0)
        return;
    const char *const argv[] = {settings.submit, command,     option, "--conf", conf,
                                "--node",        host_node(), NULL};
    int error = helper_run(argv, timeout_s, &result);
    helper_why(&result, why, sizeof why);
    if (error != 0)
        slurm_info("jobtrail: cannot run %s: %s", settings.submit, strerror(-error));
    else if (result.is_finished && result.status != 0)
        slurm_info("jobtrail: %s %s: %s", command, option, why);
    settings_close(&settings);
}

void upkeep_start(const char *conf)
{
    upkeep_policy(conf);
    run_submit(conf, "watch", "--detach", WATCH_TIMEOUT_S);
    run_submit(conf, "flush", "--orphans", 0);
}

void upkeep_stop(const char *conf)
{
    run_submit(conf, "watch", "--stop", WATCH_TIMEOUT_S);
}
