/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The SPANK callbacks (spank(7), <slurm/spank.h>). Each returns success whatever happens: trouble
 * of ours is a line in slurmd's log and a missing record, never a failed job or a drained node.
 * slurm_info() is the one way to that log which never reaches a user's stderr.
 *
 * Where they run: init in slurmd and in srun; slurmd_exit in slurmd; init_post_opt, task_post_fork,
 * task_exit and exit in slurmstepd, as root; task_init in the task, as the user; job_epilog in a
 * process of its own, as root, where init has not been called. State between them is on disk only:
 * from Slurm 24.05 on some may run in a cloned child.
 */
#include <slurm/spank.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "epilog.h"
#include "hooks.h"
#include "inject.h"
#include "journal_line.h"
#include "preload_list.h"
#include "settings.h"
#include "spool.h"
#include "upkeep.h"

SPANK_PLUGIN(jobtrail, 1)

struct job_key {
    uint32_t id;
    uint32_t restart;
    uint32_t step;
};

static struct job_key job_key(spank_t spank)
{
    struct job_key key = {0, 0, 0};
    spank_get_item(spank, S_JOB_ID, &key.id);
    spank_get_item(spank, S_JOB_STEPID, &key.step);
    spank_get_item(spank, S_SLURM_RESTART_COUNT, &key.restart);
    return key;
}

static int open_settings(int argc, char *argv[], struct settings *settings)
{
    const char *conf = settings_conf(argc, argv);
    int error = settings_open(conf, settings);
    if (error != 0)
        slurm_info("jobtrail: no usable policy for %s (%s): run `jobtrail-conf compile`", conf,
                   strerror(-error));
    return error;
}

/* In a preloaded batch script srun finds LD_PRELOAD set, by us, and a variable that is set wins
 * over `srun --export=ALL,LD_PRELOAD=...`: the user's value would be lost. So srun gets the
 * environment that it would have without us; its tasks get the library from task_init. */
static void restore_preload(const struct settings *settings)
{
    const char *preload = getenv("LD_PRELOAD");
    char *copy = preload == NULL ? NULL : strdup(preload);
    if (copy == NULL)
        return;
    preload_list_remove(settings->library, copy);
    if (copy[0] == '\0')
        unsetenv("LD_PRELOAD");
    else if (strcmp(copy, preload) != 0)
        setenv("LD_PRELOAD", copy, 1);
    free(copy);
}

int slurm_spank_init(spank_t spank, int argc, char *argv[])
{
    struct settings settings;
    const char *conf = settings_conf(argc, argv);
    (void)spank;
    if (spank_context() == S_CTX_SLURMD) {
        upkeep_start(conf);
    } else if (spank_context() == S_CTX_LOCAL && settings_open(conf, &settings) == 0) {
        restore_preload(&settings);
        hooks_restore(&settings);
        settings_close(&settings);
    }
    return 0;
}

int slurm_spank_slurmd_exit(spank_t spank, int argc, char *argv[])
{
    (void)spank;
    upkeep_stop(settings_conf(argc, argv));
    return 0;
}

static void add_items(spank_t spank, struct journal_line *line)
{
    const struct {
        const char *key;
        spank_item_t item;
    } numbers[] = {
        {"uid", S_JOB_UID},
        {"gid", S_JOB_GID},
        {"nodes", S_JOB_NNODES},
        {"node_id", S_JOB_NODEID},
        {"tasks", S_JOB_TOTAL_TASK_COUNT},
        {"local_tasks", S_JOB_LOCAL_TASK_COUNT},
        {"cpus_per_task", S_STEP_CPUS_PER_TASK},
        {"array_job", S_JOB_ARRAY_ID},
        {"array_task", S_JOB_ARRAY_TASK_ID},
    };
    uint16_t cpus = 0;
    char submit_host[256];
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        uint32_t value = 0;
        if (spank_get_item(spank, numbers[i].item, &value) == ESPANK_SUCCESS)
            journal_number(line, numbers[i].key, value);
    }
    if (spank_get_item(spank, S_JOB_NCPUS, &cpus) == ESPANK_SUCCESS)
        journal_number(line, "cpus", cpus);
    if (spank_getenv(spank, "SLURM_SUBMIT_HOST", submit_host, sizeof submit_host) == ESPANK_SUCCESS)
        journal_text(line, "submit_host", submit_host);
}

/* Clock ticks since boot at which the process `pid` started, 0 when unknown (proc(5)). */
static unsigned long long start_ticks(pid_t pid)
{
    char path[32], text[512];
    unsigned long long ticks = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return 0;
    if (fgets(text, sizeof text, file) != NULL) {
        char *rest = strrchr(text, ')');
        if (rest == NULL || sscanf(rest + 1,
                                   " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d"
                                   " %*d %*d %*d %*d %llu",
                                   &ticks) != 1)
            ticks = 0;
    }
    fclose(file);
    return ticks;
}

static int begin_step(spank_t spank, const struct settings *settings)
{
    struct job_key key = job_key(spank);
    struct journal_line line;
    uid_t uid = (uid_t)-1;
    gid_t gid = (gid_t)-1;
    if (spank_get_item(spank, S_JOB_UID, &uid) != ESPANK_SUCCESS ||
        spank_get_item(spank, S_JOB_GID, &gid) != ESPANK_SUCCESS)
        return -1;
    int spool = spool_open(settings->spool, key.id, key.restart);
    if (spool < 0)
        return spool;
    journal_start(&line, "step");
    journal_number(&line, "job", key.id);
    journal_number(&line, "restart", key.restart);
    journal_number(&line, "step", key.step);
    journal_text(&line, "node", spool_node());
    journal_number(&line, "pid", (uint64_t)getpid());
    journal_number(&line, "ticks", start_ticks(getpid()));
    add_items(spank, &line);
    int error = journal_append(&line, spool);
    if (error == 0)
        error = spool_make_ledger(spool, uid, gid, settings->ledger_bytes);
    if (error == 0)
        error = spool_make_packages(spool, uid, gid);
    close(spool);
    return error;
}

int slurm_spank_init_post_opt(spank_t spank, int argc, char *argv[])
{
    struct settings settings;
    if (spank_context() != S_CTX_REMOTE)
        return 0;
    upkeep_policy(settings_conf(argc, argv));
    if (open_settings(argc, argv, &settings) != 0)
        return 0;
    if (access(settings.library, R_OK) != 0)
        slurm_info("jobtrail: cannot read the library %s: this step leaves no records",
                   settings.library);
    int error = begin_step(spank, &settings);
    if (error != 0)
        slurm_info("jobtrail: cannot use the spool directory %s (%s): this step leaves no records",
                   settings.spool, strerror(-error));
    settings_close(&settings);
    return 0;
}

int slurm_spank_task_init(spank_t spank, int argc, char *argv[])
{
    struct settings settings;
    if (settings_open(settings_conf(argc, argv), &settings) != 0)
        return 0;
    struct job_key key = job_key(spank);
    inject_task(spank, &settings, key.id, key.restart);
    settings_close(&settings);
    return 0;
}

/* Appends a line to the journal of the job that the callback is about; `what` names it in the log
 * where that fails. */
static void note(spank_t spank, int argc, char *argv[], const char *what, struct journal_line *line)
{
    struct settings settings;
    struct job_key key = job_key(spank);
    if (settings_open(settings_conf(argc, argv), &settings) != 0)
        return;
    int spool = spool_find(settings.spool, key.id, key.restart);
    int error = spool < 0 ? spool : journal_append(line, spool);
    if (spool >= 0)
        close(spool);
    if (error != 0)
        slurm_info("jobtrail: job %u: %s not noted in %s: %s", key.id, what, settings.spool,
                   strerror(-error));
    settings_close(&settings);
}

static pid_t start_task_line(spank_t spank, const char *verb, struct journal_line *line)
{
    uint32_t step = 0, task = 0;
    pid_t pid = 0;
    spank_get_item(spank, S_JOB_STEPID, &step);
    spank_get_item(spank, S_TASK_GLOBAL_ID, &task);
    spank_get_item(spank, S_TASK_PID, &pid);
    journal_start(line, verb);
    journal_number(line, "step", step);
    journal_number(line, "task", task);
    journal_number(line, "pid", (uint64_t)pid);
    return pid;
}

int slurm_spank_task_post_fork(spank_t spank, int argc, char *argv[])
{
    struct journal_line line;
    pid_t pid = start_task_line(spank, "task", &line);
    journal_number(&line, "ticks", start_ticks(pid));
    note(spank, argc, argv, "the start of a task", &line);
    return 0;
}

int slurm_spank_task_exit(spank_t spank, int argc, char *argv[])
{
    struct journal_line line;
    int status = 0;
    start_task_line(spank, "exit", &line);
    spank_get_item(spank, S_TASK_EXIT_STATUS, &status);
    journal_number(&line, "status", (uint64_t)(unsigned)status);
    note(spank, argc, argv, "the end of a task", &line);
    return 0;
}

int slurm_spank_exit(spank_t spank, int argc, char *argv[])
{
    struct journal_line line;
    if (spank_context() != S_CTX_REMOTE)
        return 0;
    journal_start(&line, "end");
    journal_number(&line, "step", job_key(spank).step);
    note(spank, argc, argv, "the end of a step", &line);
    return 0;
}

int slurm_spank_job_epilog(spank_t spank, int argc, char *argv[])
{
    struct settings settings;
    uint32_t job = 0;
    if (spank_get_item(spank, S_JOB_ID, &job) != ESPANK_SUCCESS || job == 0 ||
        open_settings(argc, argv, &settings) != 0)
        return 0;
    epilog_note(&settings, job);
    epilog_flush(&settings, job);
    settings_close(&settings);
    return 0;
}
