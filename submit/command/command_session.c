/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What users run themselves. */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "contrib/hooks/hook_variables.h"
#include "spank/job_formats.h"
#include "spank/ledger_make.h"
#include "spank/spool_path.h"
#include "spank/version_note.h"
#include "submit/command/submit_command.h"
#include "submit/hand_in/link_send.h"
#include "submit/job/job_cgroups.h"
#include "submit/job/session.h"

/* A login shell in a job may load the modulefile: in a task that is recorded, or in a job with
 * --jobtrail=no, whose shell may lack the task's environment. */
static bool is_recorded_by_plugin(const struct conf *conf, const char *node)
{
    char spool[PATH_MAX];
    bool is_recorded = getenv("JOBTRAIL_TASK") != NULL;
    /* users cannot list the spool: which versions have one is tried */
    for (uint32_t formats = 1; !is_recorded && formats <= JOB_FORMATS + VERSIONS_MAX; formats++)
        is_recorded = spool_expand_formats(conf->spool, node, formats, spool, sizeof spool) == 0 &&
                      access(spool, F_OK) == 0 && slurm_job_opted_out(spool);
    return is_recorded;
}

/* Returns 0 and the directory's `path`; -ENOENT where there is no directory for sessions; or
 * another -errno. */
static int make_session(const struct conf *conf, char path[PATH_MAX])
{
    struct session session;
    int error = session_own(&session);
    if (error != 0)
        return error;
    CLEANUP_CLOSE int directory = session_make(conf->sessions, &session, path);
    if (directory < 0)
        return directory;
    error = spool_make_ledger(directory, geteuid(), getegid(), conf->ledger_bytes);
    if (error == 0 && conf->hooks[0] != '\0')
        spool_make_packages(directory, geteuid(), getegid()); /* without it, hooks write nothing */
    return error;
}

/* Whether the modulefile can put the user's value back when it is unloaded. Environment Modules
 * keeps such values in a list with colons, Lmod keeps no empty one, and csh takes no braces. */
static bool can_be_restored(const char *user)
{
    return user[0] != '\0' && user[strcspn(user, ":{}!\n\r")] == '\0';
}

/* The variables by which languages find their hooks (contrib/hooks/hook_variables.h). A hook is
 * left out in three cases: it is not installed; the value that the variable has in this process
 * leaves no room for it; or that value could not be restored at the end of the session. */
static void print_hooks(const struct conf *conf)
{
    char value[HOOK_VALUE_MAX];
    if (conf->hooks[0] == '\0')
        return;
    for (size_t i = 0; i < HOOK_VARIABLES; i++) {
        const struct hook_variable *hook = &hook_variables[i];
        const char *user = getenv(hook->name);
        if (!hook_variable_value(hook, conf->hooks, value))
            continue;
        if (hook_variable_is_list(hook)) {
            if (user == NULL || hook_variable_has_room(hook, user))
                printf("%s %s %s\n", hook->separator == ' ' ? "prepend-word" : "prepend",
                       hook->name, value);
        } else if (user == NULL) {
            printf("set %s %s\n", hook->name, value);
            if (hook->saved == NULL && getenv(HOOK_XALT_RUN) == NULL)
                printf("set %s %s\n", HOOK_XALT_RUN, HOOK_XALT_NONE);
        } else if (hook->saved != NULL && strcmp(user, value) != 0 && can_be_restored(user)) {
            printf("set %s %s\npush %s %s\n", hook->saved, user, hook->name, value);
        }
    }
}

static enum submit_status print_variables(const struct conf *conf, const char *path)
{
    CLEANUP_FREE char *policy = conf_policy_path(conf->path);
    if (policy == NULL)
        return SUBMIT_UNUSABLE;
    printf("set JOBTRAIL_SPOOL %s\nset JOBTRAIL_POLICY %s\nset XALT_EXECUTABLE_TRACKING yes\n"
           "prepend LD_PRELOAD %s\n",
           path, policy, conf->library);
    print_hooks(conf);
    return SUBMIT_OK;
}

enum submit_status command_session(const struct submit_options *options)
{
    struct conf conf;
    char path[PATH_MAX];
    enum submit_status status = submit_conf_load(options, &conf);
    if (status != SUBMIT_OK)
        return status;
    int error = -ENOENT;
    const char *tracking = getenv("XALT_EXECUTABLE_TRACKING");
    bool is_refused = tracking != NULL && strcmp(tracking, "no") == 0;
    if (conf.sessions[0] != '\0' && !is_refused && !is_recorded_by_plugin(&conf, options->node))
        error = make_session(&conf, path);
    if (error == 0) {
        status = print_variables(&conf, path);
    } else if (error == -ENOENT) {
        status = SUBMIT_SOME_WAIT;
    } else {
        fprintf(stderr, "jobtrail-submit: session in %s: %s\n", conf.sessions, strerror(-error));
        status = SUBMIT_UNUSABLE;
    }
    conf_free(&conf);
    return status;
}

enum submit_status command_hand_in(const struct submit_options *options)
{
    struct conf conf;
    struct link_outbox_count count;
    enum submit_status status = submit_conf_load(options, &conf);
    if (status != SUBMIT_OK)
        return status;
    int error = link_send_waiting(&conf, UINT_MAX, &count);
    if (error != 0)
        fprintf(stderr, "jobtrail-submit: not handed in: %s (sessions in %s)\n", strerror(-error),
                conf.sessions[0] == '\0' ? "no directory" : conf.sessions);
    printf("handed in %u, waiting %u\n", count.sent, count.waiting);
    conf_free(&conf);
    return error != 0 ? SUBMIT_SOME_WAIT : SUBMIT_OK;
}
