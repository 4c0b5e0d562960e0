/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The SPANK callbacks (spank(7), <slurm/spank.h>). Each returns success whatever happens: trouble
 * of ours is a line in slurmd's log and a missing record, never a failed job or a drained node.
 * slurm_info() is the one way to that log which never reaches a user's stderr.
 *
 * Where they run: init in slurmd and in srun; slurmd_exit in slurmd; init_post_opt, task_post_fork, task_exit and exit in
 * slurmstepd, as root; task_init in the task, as the user; job_epilog in a process of its own, as
 * root, where init has not been called. State between them is on disk only: from Slurm 24.05 on
 * some may run in a cloned child.
 */
#include <slurm/spank.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "helper.h"
#include "inject.h"
#include "journal_line.h"
#include "preload_list.h"
#include "settings.h"
#include "spool.h"

SPANK_PLUGIN(jobtrail, 1)

enum { COMPILE_TIMEOUT_S = 5, WATCHER_TIMEOUT_S = 6 };

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

static int has_policy(const char *conf)
{
    struct settings settings;
    if (settings_open(conf, &settings) != 0)
        return 0;
    settings_close(&settings);
    return 1;
}

/* Brings the compiled policy up to date where the configuration is newer, or where the policy is
 * none that this plugin can read, as after an upgrade. A bad configuration is
 * refused by the compiler, and the policy in force stays. */
static void refresh_policy(const char *conf)
{
    char program[PATH_MAX];
    char compile[] = "compile", if_newer[] = "--if-newer", option[] = "--conf", path[PATH_MAX];
    struct helper_result result = {0};
    if ((!settings_stale(conf) && has_policy(conf)) || strlen(conf) >= sizeof path)
        return;
    strcpy(path, conf);
    char *const argv[] = {program, compile, if_newer, option, path, NULL};
    int error = helper_path("jobtrail-conf", program, sizeof program);
    if (error == 0)
        error = helper_run(argv, COMPILE_TIMEOUT_S, &result);
    if (error != 0)
        slurm_info("jobtrail: cannot compile %s: %s", conf, strerror(-error));
    else if (!result.finished || result.status != 0)
        slurm_info("jobtrail: %s not compiled: %s", conf, result.message);
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

/* Runs `jobtrail-submit COMMAND OPTION` for this node, for `timeout_s` seconds at the most (0: it
 * goes on by itself, and nobody hears of it). */
static void run_submit(const char *conf, const char *command, const char *option,
                       unsigned timeout_s)
{
    char program[PATH_MAX], path[PATH_MAX], node[256], verb[16], flag[16];
    char conf_option[] = "--conf", node_option[] = "--node";
    struct settings settings;
    struct helper_result result = {0};
    if (settings_open(conf, &settings) != 0)
        return;
    snprintf(program, sizeof program, "%s", settings.submit);
    snprintf(path, sizeof path, "%s", conf);
    snprintf(node, sizeof node, "%s", spool_node());
    snprintf(verb, sizeof verb, "%s", command);
    snprintf(flag, sizeof flag, "%s", option);
    char *const argv[] = {program, verb, flag, conf_option, path, node_option, node, NULL};
    int error = helper_run(argv, timeout_s, &result);
    if (error != 0)
        slurm_info("jobtrail: cannot run %s: %s", program, strerror(-error));
    else if (result.finished && result.status != 0)
        slurm_info("jobtrail: %s %s: %s", command, option, result.message);
    settings_close(&settings);
}

/* The watcher of start records, and what earlier epilogs or a crash of the node have left. */
static void start_of_slurmd(const char *conf)
{
    refresh_policy(conf);
    run_submit(conf, "watch", "--detach", WATCHER_TIMEOUT_S);
    run_submit(conf, "flush", "--orphans", 0);
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
        start_of_slurmd(conf);
    } else if (spank_context() == S_CTX_LOCAL && settings_open(conf, &settings) == 0) {
        restore_preload(&settings);
        settings_close(&settings);
    }
    return 0;
}

int slurm_spank_slurmd_exit(spank_t spank, int argc, char *argv[])
{
    (void)spank;
    run_submit(settings_conf(argc, argv), "watch", "--stop", WATCHER_TIMEOUT_S);
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
    if (spank_getenv(spank, "SLURM_SUBMIT_HOST", submit_host, sizeof submit_host) ==
        ESPANK_SUCCESS)
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
    close(spool);
    return error;
}

int slurm_spank_init_post_opt(spank_t spank, int argc, char *argv[])
{
    struct settings settings;
    if (spank_context() != S_CTX_REMOTE)
        return 0;
    refresh_policy(settings_conf(argc, argv));
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

static void add_credential(struct journal_line *line)
{
    const struct {
        const char *key;
        const char *variable;
    } facts[] = {
        {"user", "SLURM_JOB_USER"},
        {"account", "SLURM_JOB_ACCOUNT"},
        {"partition", "SLURM_JOB_PARTITION"},
        {"cluster", "SLURM_CLUSTER_NAME"},
        {"nodes", "SLURM_JOB_NUM_NODES"},
        {"cpus", "SLURM_JOB_CPUS_PER_NODE"},
        {"gpus", "SLURM_JOB_GPUS"},
        {"het_job", "SLURM_HET_JOB_ID"},
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
        journal_text(line, facts[i].key, getenv(facts[i].variable));
}

/* A requeued job's epilog already tells the next restart count, so the line goes to every
 * directory that this node holds for the job. There can be but a few; an upper bound all the
 * same. */
static void note_epilog(const struct settings *settings, uint32_t job)
{
    const char *count = getenv("SLURM_JOB_RESTART_COUNT");
    uint32_t last = count == NULL ? 0 : (uint32_t)strtoul(count, NULL, 10);
    struct journal_line line;
    journal_start(&line, "epilog");
    add_credential(&line);
    for (uint32_t restart = last > 16 ? last - 16 : 0; restart <= last; restart++) {
        struct journal_line copy = line;
        int spool = spool_find(settings->spool, job, restart);
        if (spool < 0)
            continue;
        journal_append(&copy, spool);
        close(spool);
    }
}

static void flush_job(const struct settings *settings, uint32_t job)
{
    char program[PATH_MAX], conf[PATH_MAX], id[16], node[256];
    char flush[] = "flush", conf_option[] = "--conf", job_option[] = "--job", node_option[] = "--node";
    struct helper_result result = {0};
    snprintf(program, sizeof program, "%s", settings->submit);
    snprintf(conf, sizeof conf, "%s", settings->conf);
    snprintf(node, sizeof node, "%s", spool_node());
    snprintf(id, sizeof id, "%u", job);
    char *const argv[] = {program,    flush, conf_option, conf, node_option, node,
                          job_option, id,    NULL};
    int error = helper_run(argv, settings->epilog_timeout_s, &result);
    if (error != 0)
        slurm_info("jobtrail: job %u: cannot run %s: %s", job, program, strerror(-error));
    else if (!result.finished)
        slurm_info("jobtrail: job %u: the flush goes on after %u s", job,
                   settings->epilog_timeout_s);
    else if (result.status != 0)
        slurm_info("jobtrail: job %u: the flush failed: %s", job, result.message);
}

int slurm_spank_job_epilog(spank_t spank, int argc, char *argv[])
{
    struct settings settings;
    uint32_t job = 0;
    if (spank_get_item(spank, S_JOB_ID, &job) != ESPANK_SUCCESS || job == 0 ||
        open_settings(argc, argv, &settings) != 0)
        return 0;
    note_epilog(&settings, job);
    flush_job(&settings, job);
    settings_close(&settings);
    return 0;
}
