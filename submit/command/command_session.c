/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/command/command_session.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/conf.h"
#include "spank/ledger_make.h"
#include "spank/spool_path.h"
#include "submit/command/session_hooks.h"
#include "submit/job/session.h"
#include "submit/job/slurm_job.h"

enum { EXIT_NOT_HERE = 1, EXIT_UNUSABLE = 3 };

/* A login shell in a job may load the modulefile: in a task that is recorded, or in one with
 * --jobtrail=no, be it without the task's environment. */
static int is_of_plugin(const struct conf *conf, const char *node)
{
    char spool[PATH_MAX];
    return getenv("JOBTRAIL_TASK") != NULL ||
           (spool_expand(conf->spool, node, spool, sizeof spool) == 0 &&
            slurm_job_opted_out(spool));
}

static int is_refused(void)
{
    const char *tracking = getenv("XALT_EXECUTABLE_TRACKING");
    return tracking != NULL && strcmp(tracking, "no") == 0;
}

static int make(const struct conf *conf, char path[PATH_MAX])
{
    struct session session;
    int result = session_own(&session);
    int directory = result != 0 ? result : session_make(conf->sessions, &session, path);
    if (directory < 0)
        return directory;
    result = spool_make_ledger(directory, geteuid(), getegid(), conf->ledger_bytes);
    if (result == 0 && conf->hooks[0] != '\0')
        spool_make_packages(directory, geteuid(), getegid()); /* hooks are silent without it */
    close(directory);
    return result;
}

static int print_variables(const struct conf *conf, const char *path)
{
    char *policy = conf_policy_path(conf->path);
    if (policy == NULL)
        return EXIT_UNUSABLE;
    printf("set JOBTRAIL_SPOOL %s\nset JOBTRAIL_POLICY %s\nset XALT_EXECUTABLE_TRACKING yes\n"
           "prepend LD_PRELOAD %s\n",
           path, policy, conf->library);
    free(policy);
    session_hooks_print(conf);
    return 0;
}

int command_session(const char *path, const char *node)
{
    struct conf conf;
    struct conf_error error;
    char text[1024], spool[PATH_MAX];
    if (conf_load_trusted(path, &conf, &error) != 0) {
        conf_error_text(&error, text, sizeof text);
        fprintf(stderr, "jobtrail-submit: %s\n", text);
        return EXIT_UNUSABLE;
    }
    int status = EXIT_NOT_HERE;
    if (conf.sessions[0] != '\0' && !is_refused() && !is_of_plugin(&conf, node)) {
        int result = make(&conf, spool);
        if (result != 0 && result != -ENOENT)
            fprintf(stderr, "jobtrail-submit: session in %s: %s\n", conf.sessions,
                    strerror(-result));
        status = result == -ENOENT ? EXIT_NOT_HERE
                 : result != 0     ? EXIT_UNUSABLE
                                   : print_variables(&conf, spool);
    }
    conf_free(&conf);
    return status;
}
