/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The SPANK callbacks (spank(7), <slurm/spank.h>). Each returns success whatever happens: a failure
 * of ours is a line in slurmd's log and a missing record, never a failed job or a drained node. The
 * line is written by slurm_info(), since the other functions can reach a user's stderr.
 *
 * Where they run: init everywhere except for prolog and epilog; slurmd_exit in slurmd;
 * init_post_opt, task_post_fork, task_exit and exit in slurmstepd, as root; task_init_privileged in
 * the task, as root; task_init in the task, as the user; job_prolog and job_epilog in processes of
 * their own, as root. State between them is on disk, except for the option, which Slurm passes to
 * slurmstepd before it calls init_post_opt, and for what exit_note.h notes. In a release of Slurm
 * that is not known (slurm_release.h) they do nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <slurm/spank.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conf/base/host.h"
#include "conf/base/io.h"
#include "conf/policy/policy.h"
#include "spank/as_root.h"
#include "spank/elder.h"
#include "spank/epilog_note.h"
#include "spank/exit_note.h"
#include "spank/hooks.h"
#include "spank/inject.h"
#include "spank/job_sluid.h"
#include "spank/journal_line.h"
#include "spank/ledger_make.h"
#include "spank/options.h"
#include "spank/path_list.h"
#include "spank/profile_part.h"
#include "spank/program.h"
#include "spank/prolog.h"
#include "spank/settings.h"
#include "spank/slurm_release.h"
#include "spank/spool.h"
#include "spank/spool_part.h"
#include "spank/upkeep.h"

/* SPANK_PLUGIN() would make plugin_version a constant; it is in slurm_release.c. */
const char plugin_name[] = "jobtrail";
const char plugin_type[] = "spank";
const unsigned spank_plugin_version = 1;

enum { CGROUP_TEXT = 4096 };

struct job_key {
    uint32_t id;
    uint32_t restart;
    uint32_t step;
    uid_t uid;
};

/* SPANK's restart count is 0 in every step (measured, 22.05). So the run is taken to be this user's
 * last one that the prolog has made a directory for. SPANK's count is used where no prolog of ours
 * has run: slurmd was not restarted since the plugin was installed. */
static int find_key(spank_t spank, const struct settings *settings, struct job_key *key)
{
    *key = (struct job_key){0, 0, 0, (uid_t)-1};
    spank_get_item(spank, S_JOB_ID, &key->id);
    spank_get_item(spank, S_JOB_STEPID, &key->step);
    spank_get_item(spank, S_JOB_UID, &key->uid);
    if (spank_get_item(spank, S_SLURM_RESTART_COUNT, &key->restart) != ESPANK_SUCCESS ||
        key->restart == 0)
        key->restart = elder_lost_restart();
    return spool_last_run(settings->spool, key->id, key->uid, &key->restart);
}

static int open_settings(int argc, char *argv[], struct settings *settings)
{
    const char *conf = settings_conf(argc, argv);
    int error = settings_open(conf, settings);
    if (error != 0)
        slurm_info("jobtrail: no usable policy for %s (%s): run `jobtrail-conf compile`", conf,
                   error == -EPERM ? "others than root can change it" : strerror(-error));
    return error;
}

/* In a batch script srun finds the LD_PRELOAD that we have set. A variable that is set overrides
 * `srun --export=ALL,LD_PRELOAD=...`, so the user's value would be lost. Therefore srun gets the
 * environment that it would have without us. Its tasks get the library from task_init. */
static void restore_preload(const struct settings *settings)
{
    const char *preload = getenv("LD_PRELOAD");
    char *copy = preload == NULL ? NULL : strdup(preload), path[PATH_MAX];
    if (copy == NULL)
        return;
    preload_list_remove(settings->library, copy);
    if (profile_part->name_library != NULL && profile_part->name_library(settings->library, path))
        preload_list_remove(path, copy);
    if (copy[0] == '\0')
        unsetenv("LD_PRELOAD");
    else if (strcmp(copy, preload) != 0)
        setenv("LD_PRELOAD", copy, 1);
    free(copy);
}

/* In a step's daemon, and in an srun that a job has started. The policy may not be compiled yet, as
 * slurmstepd loads the new plugin before slurmd is restarted. */
static void find_elder(spank_t spank, const char *conf)
{
    struct settings settings;
    uint32_t job = 0;
    if (elder_is_one())
        return;
    if (spank_context() == S_CTX_LOCAL)
        elder_find_around();
    if (spank_context() != S_CTX_REMOTE || spank_get_item(spank, S_JOB_ID, &job) != ESPANK_SUCCESS)
        return;
    upkeep_policy(conf);
    if (settings_open(conf, &settings) != 0)
        return;
    elder_find(&settings, job);
    settings_close(&settings);
}

int slurm_spank_init(spank_t spank, int argc, char *argv[])
{
    struct settings settings;
    const char *conf = settings_conf(argc, argv);
    bool is_known = slurm_release_is_known();
    if (spank_context() == S_CTX_SLURMD) {
        if (is_known)
            upkeep_start(conf);
        else
            slurm_release_report();
        return 0;
    }
    if (is_known)
        find_elder(spank, conf);
    if (elder_takes(ELDER_INIT, spank))
        return 0;
    if (is_known && spank_context() == S_CTX_LOCAL && settings_open(conf, &settings) == 0) {
        restore_preload(&settings);
        hooks_restore(&settings);
        settings_close(&settings);
    }
    options_register(spank, conf);
    return 0;
}

int slurm_spank_slurmd_exit(spank_t spank, int argc, char *argv[])
{
    (void)spank;
    if (slurm_release_is_known())
        upkeep_stop(settings_conf(argc, argv));
    return 0;
}

static void add_number(spank_t spank, struct journal_line *line, const char *key, spank_item_t item)
{
    uint32_t value = 0;
    if (spank_get_item(spank, item, &value) == ESPANK_SUCCESS)
        journal_number(line, key, value);
}

/* A text of Slurm's own. */
static void add_text(spank_t spank, struct journal_line *line, const char *key, spank_item_t item)
{
    const char *value = NULL;
    if (spank_get_item(spank, item, &value) == ESPANK_SUCCESS)
        journal_text(line, key, value);
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
    };
    uint16_t cpus = 0;
    uint64_t memory = 0;
    char submit_host[256], bundle[2]; /* which bundle does not matter */
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        add_number(spank, line, numbers[i].key, numbers[i].item);
    if (spank_get_item(spank, S_JOB_NCPUS, &cpus) == ESPANK_SUCCESS)
        journal_number(line, "cpus", cpus);
    if (spank_get_item(spank, S_STEP_ALLOC_MEM, &memory) == ESPANK_SUCCESS)
        journal_number(line, "memory", memory);
    add_text(spank, line, "cores", S_STEP_ALLOC_CORES);
    add_text(spank, line, "job_cores", S_JOB_ALLOC_CORES);
    if (slurm_release_has_whole_cores())
        journal_number(line, "whole_cores", 1);
    if (options_is_opted_out())
        journal_number(line, "opted_out", 1);
    if (spank_getenv(spank, "SLURM_CONTAINER", bundle, sizeof bundle) != ESPANK_ENV_NOEXIST)
        journal_number(line, "container", 1);
    if (spank_getenv(spank, "SLURM_SUBMIT_HOST", submit_host, sizeof submit_host) == ESPANK_SUCCESS)
        journal_text(line, "submit_host", submit_host);
}

/* The job's array and its QOS, which credentials have from 26.05 on. Only in the batch step these
 * items and variables come from the controller; in a job step they come from srun, and so from the
 * user. In the batch step Slurm overwrites a SLURM_JOB_QOS of the user's; where there is no
 * accounting database, and so no QOS, the user's value remains. */
static void add_batch(spank_t spank, struct journal_line *line)
{
    char qos[256];
    add_number(spank, line, "array_job", S_JOB_ARRAY_ID);
    add_number(spank, line, "array_task", S_JOB_ARRAY_TASK_ID);
    if (spank_getenv(spank, "SLURM_JOB_QOS", qos, sizeof qos) == ESPANK_SUCCESS)
        journal_text(line, "qos", qos);
}

/* The job's directory in the cgroup of this daemon, as job_sluid_in_cgroup(): NULL where Slurm does
 * not freeze what it suspends. With proctrack/cgroup, Slurm has put the step's daemon there before
 * it calls us; what task plugins and others do with cgroups comes later
 * (src/slurmd/slurmstepd/mgr.c, job_manager(); 22.05 to 26.05). */
static const char *job_in_cgroup(char text[CGROUP_TEXT])
{
    io_read_text(AT_FDCWD, "/proc/self/cgroup", text, CGROUP_TEXT);
    return job_sluid_in_cgroup(text);
}

static void make_step_line(spank_t spank, const struct job_key *key, bool freezes,
                           struct journal_line *line)
{
    journal_start(line, "step");
    journal_number(line, "job", key->id);
    journal_number(line, "restart", key->restart);
    journal_number(line, "step", key->step);
    node_add(line);
    journal_number(line, "pid", (uint64_t)getpid());
    journal_number(line, "ticks", node_start_ticks(getpid()));
    journal_number(line, "name_space", name_space_of_pids());
    add_items(spank, line);
    if (freezes)
        journal_number(line, "freezes", 1);
    if (key->step == JOURNAL_STEP_BATCH)
        add_batch(spank, line);
}

/* Makes the files that belong to the user. A missing file of packages is no error: hooks then write
 * nothing, and the flush counts that. Nor is a missing one of profiles. */
static int make_files(int spool, const struct settings *settings, uid_t uid, gid_t gid,
                      bool has_profile)
{
    int part = spool_part_open(spool);
    int error = part < 0 ? part : spool_make_ledger(part, uid, gid, settings->ledger_bytes);
    if (error == 0)
        spool_make_packages(part, uid, gid);
    if (error == 0 && has_profile)
        profile_part->make(part, uid, gid, settings->profile_bytes);
    if (part >= 0)
        close(part);
    return error;
}

/* The option does not always come here (options.h). */
static void find_opt_out(const struct settings *settings, const struct job_key *key)
{
    int spool = key->step == JOURNAL_STEP_BATCH
                    ? spool_find(settings->spool, key->id, key->restart, key->uid)
                    : -1;
    if (spool < 0)
        return;
    if (faccessat(spool, SPOOL_JOB_OPTED_OUT, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
        options_opt_out();
    close(spool);
}

/* Makes the job's directory where no prolog of ours has. It mounts nothing then: Slurm may have
 * made the job's mount namespace (slurm_release.h), and tasks see no mount that is made later. */
static int begin_step(spank_t spank, const struct settings *settings)
{
    struct job_key key;
    int error = find_key(spank, settings, &key);
    const uint32_t noted = spool_noted_restart(settings->spool, key.id, key.uid);
    if (error != 0)
        return error;
    find_opt_out(settings, &key); /* where a prolog has run */
    if (noted > key.restart)      /* it came back within seconds, and Slurm ran no prolog */
        key.restart = noted;
    const struct spool_run run = {.spool = settings->spool,
                                  .job = key.id,
                                  .restart = key.restart,
                                  .uid = key.uid,
                                  .mount = SPOOL_MOUNT_NO,
                                  .user_bytes = settings->ledger_bytes + settings->profile_bytes};
    struct journal_line line;
    char cgroup[CGROUP_TEXT], name[SPOOL_NAME_MAX];
    const char *job = job_in_cgroup(cgroup);
    gid_t gid = (gid_t)-1;
    if (key.uid == (uid_t)-1 || spank_get_item(spank, S_JOB_GID, &gid) != ESPANK_SUCCESS)
        return -EINVAL;
    find_opt_out(settings, &key);
    make_step_line(spank, &key, job != NULL, &line);
    bool has_profile = settings->profile_bytes > 0 && !options_is_opted_out() &&
                       profile_part->begin(spank, settings->switches, settings->library, &line);
    int spool = spool_enter(&run, &line);
    if (spool < 0)
        return spool;
    elder_note_spool(settings);
    /* with PrologFlags=RunInJob there was no prolog, and since a resize of the job none either */
    spool_name(key.id, key.restart, name);
    job_sluid_note(spool, name, job);
    error = make_files(spool, settings, key.uid, gid, has_profile);
    if (error != 0) {
        journal_start(&line, "noledger");
        journal_number(&line, "step", key.step);
        journal_append(&line, spool);
    }
    if (error == 0 && options_is_opted_out())
        spool_mark(spool, SPOOL_OPTED_OUT);
    close(spool);
    if (error == 0)
        inject_spool(spank, settings, key.id, key.restart);
    return error;
}

int slurm_spank_init_post_opt(spank_t spank, int argc, char *argv[])
{
    struct settings settings;
    if (slurm_release_is_known() && spank_context() != S_CTX_REMOTE)
        options_tell_prolog(spank);
    if (!slurm_release_is_known() || spank_context() != S_CTX_REMOTE ||
        elder_takes(ELDER_INIT_POST_OPT, spank))
        return 0;
    if (open_settings(argc, argv, &settings) != 0)
        return 0;
    if (!(settings.switches & POLICY_ENABLED)) {
        settings_close(&settings);
        return 0;
    }
    if (access(settings.library, R_OK) != 0)
        slurm_info("jobtrail: cannot read the library %s: this step leaves no records",
                   settings.library);
    spank_unsetenv(spank, "JOBTRAIL_SPOOL"); /* the user may have set it */
    int error = begin_step(spank, &settings);
    if (error != 0)
        slurm_info("jobtrail: cannot use the spool directory %s (%s): this step leaves no records",
                   settings.spool, strerror(-error));
    settings_close(&settings);
    return 0;
}

int slurm_spank_local_user_init(spank_t spank, int argc, char *argv[])
{
    (void)argc;
    (void)argv;
    if (slurm_release_is_known())
        program_tell(spank);
    return 0;
}

/* In the task of a batch step, from when it is root until it is the user: the journal. */
static int again = -1;

/* Of a job that was restarted Slurm overwrites what its user has set. */
static void note_again(spank_t spank)
{
    struct journal_line line;
    char text[16];
    if (again < 0)
        return;
    journal_start(&line, "again");
    if (spank_getenv(spank, "SLURM_RESTART_COUNT", text, sizeof text) == ESPANK_SUCCESS &&
        journal_text(&line, "restart", text))
        journal_write(again, &line);
    close(again);
    again = -1;
}

int slurm_spank_task_init(spank_t spank, int argc, char *argv[])
{
    struct settings settings;
    if (!slurm_release_is_known() || elder_takes(ELDER_TASK_INIT, spank))
        return 0;
    note_again(spank);
    if (settings_open(settings_conf(argc, argv), &settings) != 0)
        return 0;
    if (options_is_opted_out())
        spank_setenv(spank, "XALT_EXECUTABLE_TRACKING", "no", 1); /* the user may preload it */
    else if (settings.switches & POLICY_ENABLED)
        inject_task(spank, &settings);
    settings_close(&settings);
    return 0;
}

/* What a callback does in the directory of its job. */
struct work {
    const char *what; /* names it in the log after a failure */
    int (*in_spool)(const struct work *work, const struct settings *settings,
                    const struct job_key *key, int spool);
    struct journal_line *line;
};

static int append(const struct work *work, const struct settings *settings,
                  const struct job_key *key, int spool)
{
    (void)settings;
    (void)key;
    struct journal_line copy = *work->line; /* for another try */
    return journal_append(&copy, spool);
}

/* Starts the flush where Slurm calls no SPANK epilog (slurm_release.h). */
static int flush_if_last(const struct work *work, const struct settings *settings,
                         const struct job_key *key, int spool)
{
    (void)work;
    return epilog_after_step(settings, key->id, key->step, spool);
}

/* Slurm tells a batch step's task which run it is of, but not before it is the user. */
static int open_again(const struct work *work, const struct settings *settings,
                      const struct job_key *key, int spool)
{
    (void)work;
    if (key->step == JOURNAL_STEP_BATCH &&
        spool_noted_restart(settings->spool, key->id, key->uid) > 0)
        again = journal_open(spool);
    return again < -1 ? again : 0;
}

/* Without a directory the start of the step has failed, and has reported why. */
static int find_and_work(spank_t spank, const struct settings *settings, const struct work *work)
{
    struct job_key key;
    int error = find_key(spank, settings, &key);
    if (error != 0)
        return error;
    int spool = spool_find(settings->spool, key.id, key.restart, key.uid);
    if (spool < 0)
        return spool == -EACCES ? spool : 0;
    error = work->in_spool(work, settings, &key, spool);
    close(spool);
    return error < 0 ? error : 0;
}

static void do_work(spank_t spank, int argc, char *argv[], const struct work *work)
{
    static struct as_root as_root; /* of the callbacks of a step's daemon together */
    struct settings settings;
    uint32_t job = 0;
    int error, settings_error;
    do {
        settings_error = settings_open(settings_conf(argc, argv), &settings);
        error = settings_error != 0 ? settings_error : find_and_work(spank, &settings, work);
        if (settings_error == 0)
            settings_close(&settings);
    } while (as_root_again(error, &as_root));
    if (error == 0 || settings_error != 0)
        return;
    spank_get_item(spank, S_JOB_ID, &job);
    slurm_info("jobtrail: job %u: %s: %s", job, work->what, strerror(-error));
}

static void append_line(spank_t spank, int argc, char *argv[], const char *what,
                        struct journal_line *line)
{
    const struct work work = {what, append, line};
    do_work(spank, argc, argv, &work);
}

int slurm_spank_task_init_privileged(spank_t spank, int argc, char *argv[])
{
    const struct work again_work = {"which run it is may not be noted", open_again, NULL};
    struct journal_line line;
    uint32_t rank = 0;
    if (!slurm_release_is_known() || elder_takes(ELDER_TASK_INIT_PRIVILEGED, spank))
        return 0;
    do_work(spank, argc, argv, &again_work);
    if (spank_get_item(spank, S_TASK_GLOBAL_ID, &rank) == ESPANK_SUCCESS) {
        program_line(spank, rank, &line);
        append_line(spank, argc, argv, "the program of a task is not noted", &line);
    }
    return 0;
}

/* Of this moment, and, of an `exit`, of the fork for the task's epilog; and observes the forks up
 * to the next line. Nothing where one of these cannot be measured. */
static void add_busy(struct journal_line *line)
{
    const struct fork_note forked = fork_note_take();
    uint64_t busy_ns = fork_note_busy();
    if (!fork_note_start() || busy_ns == 0)
        return;
    journal_number(line, "thread", (uint64_t)gettid());
    journal_number(line, "busy", busy_ns);
    if (forked.time_ns == 0)
        return;
    journal_number(line, "forked", forked.time_ns);
    journal_number(line, "forked_busy", forked.busy_ns);
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
    if (!slurm_release_is_known() || elder_takes(ELDER_TASK_POST_FORK, spank))
        return 0;
    pid_t pid = start_task_line(spank, "task", &line);
    journal_number(&line, "ticks", node_start_ticks(pid));
    add_busy(&line);
    exit_note_watch(pid); /* where that is not possible the line of the exit says less */
    append_line(spank, argc, argv, "the start of a task is not noted", &line);
    return 0;
}

/* Tasks of a step have the same variables: what is long is reported of the first one. */
static void append_loader(spank_t spank, int argc, char *argv[])
{
    static const char what[] = "the loader of a task is not noted";
    static bool is_told; /* this process is the daemon of one step */
    struct program_loader loader;
    struct journal_line line, piece;
    if (program_loader_start(spank, &loader)) {
        start_task_line(spank, "loader", &line);
        program_add_loader(&loader, &line);
        while (!is_told && program_variable_line(&loader, &piece))
            append_line(spank, argc, argv, what, &piece);
        is_told = true;
        append_line(spank, argc, argv, what, &line);
    }
    program_loader_end(&loader);
}

int slurm_spank_task_exit(spank_t spank, int argc, char *argv[])
{
    struct journal_line line;
    int status = 0;
    if (!slurm_release_is_known() || elder_takes(ELDER_TASK_EXIT, spank))
        return 0;
    pid_t pid = start_task_line(spank, "exit", &line);
    add_busy(&line);
    const struct exit_note note = exit_note_take(pid);
    if (note.died_ns != 0)
        journal_number(&line, "died", note.died_ns);
    if (note.has_no_program || note.executed_ns != 0)
        journal_number(&line, "executed", note.executed_ns);
    siginfo_t dead = {.si_pid = 0}; /* slurmstepd waits for the children */
    if (waitid(P_ALL, 0, &dead, WEXITED | WNOHANG | WNOWAIT) == 0 && dead.si_pid == 0)
        journal_text(&line, "others", "alive");
    spank_get_item(spank, S_TASK_EXIT_STATUS, &status);
    journal_number(&line, "status", (uint64_t)(unsigned)status);
    append_line(spank, argc, argv, "the end of a task is not noted", &line);
    /* The loader of the C library ends what it cannot start with 127, or with 1 where a library
     * lacks a version. It forks nothing; nor has the task before, so that no TaskProlog has changed
     * where the loader looked. */
    if (WIFEXITED(status) && (WEXITSTATUS(status) == 127 || WEXITSTATUS(status) == 1) &&
        note.has_no_child)
        append_loader(spank, argc, argv);
    return 0;
}

int slurm_spank_exit(spank_t spank, int argc, char *argv[])
{
    const struct work last_work = {"its end starts no flush", flush_if_last, NULL};
    struct journal_line line;
    uint32_t step = 0;
    if (!slurm_release_is_known() || spank_context() != S_CTX_REMOTE ||
        elder_takes(ELDER_EXIT, spank))
        return 0;
    exit_note_forget();
    spank_get_item(spank, S_JOB_STEPID, &step);
    journal_start(&line, "end");
    journal_number(&line, "step", step);
    append_line(spank, argc, argv, "the end of a step is not noted", &line);
    do_work(spank, argc, argv, &last_work);
    return 0;
}

int slurm_spank_job_prolog(spank_t spank, int argc, char *argv[])
{
    struct settings settings;
    uint32_t job = 0;
    uid_t uid = (uid_t)-1;
    gid_t gid = (gid_t)-1;
    if (!slurm_release_is_known())
        return 0;
    if (spank_get_item(spank, S_JOB_ID, &job) != ESPANK_SUCCESS || job == 0 ||
        spank_get_item(spank, S_JOB_UID, &uid) != ESPANK_SUCCESS ||
        spank_get_item(spank, S_JOB_GID, &gid) != ESPANK_SUCCESS ||
        settings_open(settings_conf(argc, argv), &settings) != 0)
        return 0;
    if (!elder_is_one())
        elder_find_run(&settings, job, credential_restart());
    if (!elder_takes(ELDER_JOB_PROLOG, spank) && (settings.switches & POLICY_ENABLED))
        prolog_note(&settings, job, uid, gid);
    settings_close(&settings);
    return 0;
}

int slurm_spank_job_epilog(spank_t spank, int argc, char *argv[])
{
    struct settings settings;
    uint32_t job = 0;
    uid_t uid = (uid_t)-1;
    bool is_lost = false;
    if (!slurm_release_is_known())
        return 0;
    if (spank_get_item(spank, S_JOB_ID, &job) != ESPANK_SUCCESS || job == 0 ||
        spank_get_item(spank, S_JOB_UID, &uid) != ESPANK_SUCCESS ||
        open_settings(argc, argv, &settings) != 0)
        return 0;
    if (!elder_is_one())
        is_lost = elder_epilogs(&settings, job, spank);
    if (epilog_note(settings.spool, job, uid) || is_lost)
        epilog_flush(&settings, job, 1);
    settings_close(&settings);
    return 0;
}
