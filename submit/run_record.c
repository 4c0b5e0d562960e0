/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run_record.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "file_facts.h"
#include "journal.h"
#include "json_add.h"
#include "scheduler.h"
#include "text.h"
#include "watermark.h"

/* What the parts of a record share. */
struct run {
    const struct run_source *source;
    struct json_object *record;
    struct json_object *measure; /* XALT_measureT */
    struct file_hash executable;
    char exec_path[PATH_MAX];
    char uuid[RECORD_UUID_SIZE];
    struct scheduler scheduler;
    double build_epoch; /* of the watermark; 0: none */
    double started;     /* monotonic, when the record was begun */
};

static double seconds(uint64_t ns)
{
    return (double)ns / 1e9;
}

static double clock_seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* "Wed Sep 25 14:24:19 2019", as ctime(3) without its newline; `text` has room for 64 bytes. */
static void date_text(time_t when, char *text)
{
    struct tm local;
    text[0] = '\0';
    if (localtime_r(&when, &local) != NULL)
        strftime(text, 64, "%a %b %d %H:%M:%S %Y", &local);
}

static void copy_bytes(struct capture_bytes bytes, char *text, size_t size)
{
    size_t length = bytes.at == NULL ? 0 : bytes.size < size ? bytes.size : size - 1;
    if (length > 0)
        memcpy(text, bytes.at, length);
    text[length] = '\0';
}

static const char *known(const char *text)
{
    return text[0] == '\0' ? "unknown" : text;
}

/* The value of `name` in the captured environment, as a number; `otherwise` where it is none. */
static double env_number(struct capture_bytes env, const char *name, double otherwise)
{
    size_t length = strlen(name);
    const char *end = env.at == NULL ? NULL : env.at + env.size;
    for (const char *at = env.at; at < end; at += strnlen(at, (size_t)(end - at)) + 1) {
        size_t size = strnlen(at, (size_t)(end - at));
        if (size > length && size < length + 12 && memcmp(at, name, length) == 0 &&
            at[length] == '=') {
            char text[16] = "";
            memcpy(text, at + length + 1, size - length - 1);
            int value = atoi(text);
            return value > 0 ? value : otherwise;
        }
    }
    return otherwise;
}

/* The step's own numbers where Slurm launched the ranks; the job's where mpirun did, in the batch
 * step, and more than one rank runs. */
static uint32_t node_count(const struct run_source *source, const struct scheduler *scheduler)
{
    if (source->journal->job == 0)
        return scheduler->nodes;
    const struct journal_step *step = journal_find_step(source->journal, source->capture->step);
    if (step != NULL && step->nodes > 0)
        return step->nodes;
    return source->capture->size > 1 && source->journal->nodes > 0 ? source->journal->nodes : 1;
}

static uint32_t cpu_count(const struct run_source *source)
{
    const struct journal_step *step = journal_find_step(source->journal, source->capture->step);
    if (step == NULL || step->step >= JOURNAL_STEP_INTERACTIVE)
        return source->journal->cpus;
    return step->tasks * (step->cpus_per_task > 0 ? step->cpus_per_task : 1);
}

static void measured(struct run *run, const char *phase, double since)
{
    json_add_measured(run->measure, phase, clock_seconds(CLOCK_MONOTONIC) - since);
}

static void add_user(struct run *run)
{
    const struct capture *capture = run->source->capture;
    const struct journal *journal = run->source->journal;
    struct json_object *table = json_object_new_object();
    char text[64];

    json_add_text(table, "account", run->scheduler.account);
    if (capture->container.at == NULL)
        json_add_text(table, "container", "none");
    else
        json_add_bytes(table, "container", capture->container);
    snprintf(text, sizeof text, "%.4f", clock_seconds(CLOCK_REALTIME));
    json_add_text(table, "currentEpoch", text);
    json_add_bytes(table, "cwd", capture->cwd);
    date_text(run->executable.modified.tv_sec, text);
    json_add_text(table, "execModify", text);
    json_add_bytes(table, "exec_path", capture->exec);
    json_add_text(table, "exec_type", "binary");
    json_add_text(table, "job_id", run->scheduler.job_id);
    json_add_text(table, "queue", run->scheduler.queue);
    json_add_text(table, "run_uuid", run->uuid);
    json_add_text(table, "scheduler", run->scheduler.name);
    date_text((time_t)(capture->start_ns / 1000000000u), text);
    json_add_text(table, "start_date", text);
    json_add_text(table, "submit_host", run->scheduler.submit_host);
    json_add_text(table, "syshost", record_syshost(run->source->conf, run->source->journal));
    json_add_text(table, "user", known(journal->user));
    json_add(run->record, "userT", table);
}

static void add_numbers(struct run *run)
{
    char text[32];
    const struct capture *capture = run->source->capture;
    uint64_t end_ns = run->source->ending == NULL ? 0 : run->source->ending->end_ns;
    struct json_object *table = json_object_new_object();
    const struct {
        const char *key;
        double value;
    } numbers[] = {
        {"Build_Epoch", run->build_epoch},
        {"currentEpoch", clock_seconds(CLOCK_REALTIME)},
        {"end_time", seconds(end_ns)},
        {"exec_epoch", (double)run->executable.modified.tv_sec},
        {"num_cores", capture->size},
        {"num_gpus", capture->gpus},
        {"num_nodes", node_count(run->source, &run->scheduler)},
        {"num_tasks", capture->size},
        {"num_threads", env_number(capture->env, "OMP_NUM_THREADS", 1)},
        {"run_time", end_ns == 0 ? 0 : seconds(end_ns - capture->start_ns)},
        {"start_time", seconds(capture->start_ns)},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        json_add_double(table, numbers[i].key, numbers[i].value);
    /* Four decimals are XALT's habit, and too few for small ones. */
    snprintf(text, sizeof text, run->source->probability < 0.001 ? "%.10g" : "%.4f",
             run->source->probability);
    json_add(table, "probability", json_object_new_double_s(run->source->probability, text));
    json_add(run->record, "userDT", table);
}

static void add_environment(struct run *run)
{
    struct capture_bytes env = run->source->capture->env;
    struct json_object *table = json_object_new_object();
    const char *end = env.at == NULL ? NULL : env.at + env.size;
    for (const char *at = env.at; at < end;) {
        size_t length = strnlen(at, (size_t)(end - at));
        const char *equals = memchr(at, '=', length);
        size_t name_length;
        char *name =
            equals == NULL ? NULL : text_from_bytes(at, (size_t)(equals - at), &name_length);
        if (name != NULL)
            json_object_object_add(
                table, name,
                json_bytes((struct capture_bytes){.at = equals + 1,
                                                  .size = (size_t)(at + length - equals - 1)}));
        free(name);
        at += length + 1;
    }
    json_add(run->record, "envT", table);
}

/* The process walks up to its task; above that is the step's daemon, whom root knows. */
static void add_daemon(struct run *run, struct json_object *array)
{
    const struct capture *capture = run->source->capture;
    const struct journal_step *step = journal_find_step(run->source->journal, capture->step);
    char title[64], name[32];
    if (capture->task_pid == 0 || step == NULL || step->pid == 0)
        return;
    struct json_object *entry = json_object_new_object();
    json_add_text(entry, "cmd_name", "slurmstepd");
    json_add_text(entry, "cmd_path", "");
    json_add_int(entry, "pid", step->pid);
    record_step_text(step->step, name, sizeof name);
    snprintf(title, sizeof title, "slurmstepd: [%u.%s]", run->source->journal->job, name);
    json_add(entry, "cmdlineA",
             json_strings((struct capture_bytes){.at = title, .size = strlen(title)}));
    json_object_array_add(array, entry);
}

static void add_ancestors(struct run *run)
{
    const struct capture *capture = run->source->capture;
    struct json_object *array = json_object_new_array();
    for (size_t i = 0; i < capture->ancestor_count; i++) {
        const struct capture_ancestor *ancestor = &capture->ancestors[i];
        struct json_object *entry = json_object_new_object();
        json_add_bytes(entry, "cmd_name", ancestor->name);
        json_add_bytes(entry, "cmd_path", ancestor->path);
        json_add_int(entry, "pid", ancestor->pid);
        json_add(entry, "cmdlineA", json_strings(ancestor->argv));
        json_object_array_add(array, entry);
    }
    add_daemon(run, array);
    json_add(run->record, "ptA", array);
}

static struct json_object *build_id(struct capture_bytes id)
{
    char text[2 * BUILD_ID_MAX + 1] = "0";
    if (id.at != NULL && id.size > 0)
        text_hex(id.at, id.size < BUILD_ID_MAX ? id.size : BUILD_ID_MAX, text);
    return json_object_new_string(text);
}

/* As the process told it, or, of an object that was loaded later, as the file has it. */
static struct json_object *object_build_id(const struct capture_object *object)
{
    char path[PATH_MAX];
    if (object->build_id.at != NULL)
        return build_id(object->build_id);
    copy_bytes(object->path, path, sizeof path);
    const struct file_facts *facts = file_facts_build_id(path);
    return build_id((struct capture_bytes){.at = facts == NULL ? NULL : (const char *)facts->id,
                                           .size = facts == NULL ? 0 : facts->id_size});
}

/* Our own, beside libA: the build-id of each object, or "0". */
static void add_build_ids(struct run *run)
{
    const struct capture *capture = run->source->capture;
    struct json_object *array = json_object_new_array();
    for (size_t i = 0; i < capture->object_count; i++)
        json_object_array_add(array, object_build_id(&capture->objects[i]));
    json_add(run->record, "buildIdA", array);
}

/* [real path, sha1 or "0"] */
static struct json_object *object_entry(const struct capture_object *object, int hash)
{
    char path[PATH_MAX];
    struct json_object *pair = json_object_new_array();
    copy_bytes(object->path, path, sizeof path);
    const struct file_facts *facts = hash ? file_facts_hash(path) : file_facts(path);
    const char *real = facts == NULL ? path : facts->real;
    json_object_array_add(pair,
                          json_bytes((struct capture_bytes){.at = real, .size = strlen(real)}));
    json_object_array_add(pair,
                          json_object_new_string(hash && facts != NULL ? facts->hash.sha1 : "0"));
    return pair;
}

static void add_objects(struct run *run)
{
    const struct capture *capture = run->source->capture;
    struct json_object *array = json_object_new_array();
    for (size_t i = 0; i < capture->object_count; i++)
        json_object_array_add(array,
                              object_entry(&capture->objects[i], run->source->conf->hash_objects));
    json_add(run->record, "libA", array);
}

static void add_watermark_key(void *context, const char *key, const char *value)
{
    json_object_object_add(context, key,
                           json_bytes((struct capture_bytes){.at = value, .size = strlen(value)}));
}

static void add_watermark(struct run *run)
{
    struct capture_bytes note = run->source->capture->watermark;
    struct json_object *table = json_object_new_object();
    struct json_object *epoch;
    if (note.at != NULL)
        watermark_read(note.at, note.size, add_watermark_key, table);
    if (json_object_object_get_ex(table, "Build_Epoch", &epoch))
        run->build_epoch = atof(json_object_get_string(epoch));
    json_add(run->record, "xaltLinkT", table);
}

static void add_quality(struct run *run)
{
    const struct run_source *source = run->source;
    struct json_object *table = json_object_new_object();
    char text[16];
    json_add_text(table, "JOBTRAIL_VERSION", JOBTRAIL_VERSION);
    json_add_text(table, "XALT_EXECUTABLE_TRACKING", "yes");
    json_add_text(table, "XALT_SAMPLING", source->conf->sample ? "yes" : "no");
    snprintf(text, sizeof text, "%u", source->conf->always_ranks);
    json_add_text(table, "XALT_MPI_ALWAYS_RECORD", text);
    json_add_text(table, "XALT_MPI_TRACKING", source->conf->track_mpi ? "yes" : "no");
    json_add_text(table, "XALT_SCALAR_TRACKING", source->conf->track_scalar ? "yes" : "no");
    json_add_text(table, "XALT_GPU_TRACKING", source->conf->track_gpu ? "yes" : "no");
    json_add_text(table, "XALT_TRANSMISSION_STYLE", source->conf->transport);
    json_add_text(table, "JOBTRAIL_PKGS", source->capture->pkgs ? "yes" : "no");
    json_add_text(table, "JOBTRAIL_PKGS_HOOK",
                  source->packages != NULL && source->packages->hooked ? "yes" : "no");
    snprintf(text, sizeof text, "%" PRIu64, source->packages == NULL ? 0 : source->packages->lost);
    json_add_text(table, "JOBTRAIL_PKGS_LOST", text);
    json_add_text(table, "JOBTRAIL_CAPTURE_CUT", source->capture->cut ? "yes" : "no");
    json_add(run->record, "XALT_qaT", table);
}

/* A start record has none: nulls. */
static void add_ending(struct json_object *table, const struct ending *ending)
{
    int known = ending != NULL && ending->status_known;
    int exited = known && WIFEXITED(ending->status);
    int signaled = known && WIFSIGNALED(ending->status);
    json_add(table, "exit_code",
             known ? json_object_new_int(exited ? WEXITSTATUS(ending->status) : 0) : NULL);
    json_add(table, "signal",
             known ? json_object_new_int(signaled ? WTERMSIG(ending->status) : 0) : NULL);
    json_add(table, "core_dumped", json_object_new_boolean(signaled && WCOREDUMP(ending->status)));
    if (ending == NULL)
        json_add(table, "end_source", NULL);
    else
        json_add_text(table, "end_source", ending->source);
    json_add_double(table, "end_time_error", ending == NULL ? 0 : seconds(ending->error_ns));
    json_add(table, "outlived", json_object_new_boolean(ending != NULL && ending->outlived));
}

static void add_slurm(struct run *run)
{
    const struct run_source *source = run->source;
    const struct journal *journal = source->journal;
    const struct journal_step *step = journal_find_step(journal, source->capture->step);
    struct json_object *table = json_object_new_object();
    char text[32];

    json_add_text(table, "cluster", record_cluster(source->conf, journal));
    json_add_optional(table, "job_id", journal->job, 0);
    record_step_text(source->capture->step, text, sizeof text);
    json_add_text(table, "step_id", text);
    json_add_optional(table, "array_job_id", journal->array_job, JOURNAL_NONE);
    json_add_optional(table, "array_task_id", journal->array_task, JOURNAL_NONE);
    json_add_optional(table, "het_job_id", journal->het_job, JOURNAL_NONE);
    json_add_optional(table, "het_offset",
                      journal->het_job == JOURNAL_NONE ? JOURNAL_NONE
                                                       : journal->job - journal->het_job,
                      JOURNAL_NONE);
    json_add_int(table, "restart_count", journal->restart);
    json_add_text(table, "node", journal->node);
    json_add_int(table, "node_id", step == NULL ? 0 : step->node_id);
    json_add_optional(table, "task_id", source->capture->task, UINT32_MAX);
    add_ending(table, source->ending);
    json_add_optional(table, "cpus_alloc", cpu_count(source), 0);
    json_add_int(table, "gpus_alloc", journal->gpus);
    json_add_text(table, "partition", journal->partition);
    json_add_text(table, "qos", journal->qos);
    json_add_int(table, "dropped", (int64_t)source->dropped);
    json_add(table, "captured", json_object_new_boolean(!source->inferred));
    json_add(table, "build_id", build_id(source->capture->build_id));
    json_add(run->record, "slurmT", table);
}

static void look_at_executable(struct run *run)
{
    const struct capture *capture = run->source->capture;
    copy_bytes(capture->exec, run->exec_path, sizeof run->exec_path);
    const struct file_facts *facts = file_facts_hash(run->exec_path);
    run->executable = facts == NULL ? (struct file_hash){.sha1 = "0"} : facts->hash;
    json_add_text(run->record, "hash_id", run->executable.sha1);
}

/* The keys in XALT's order, the time that each phase took beside. */
static void add_all(struct run *run)
{
    static const struct {
        const char *phase;
        void (*add)(struct run *);
    } parts[] = {
        {"02_Sha1_exec_____", look_at_executable}, {"06_SO_sha1_comp__", add_objects},
        {"04_WalkProcTree__", add_ancestors},      {"03_BuildEnvT_____", add_environment},
        {"01_BuildUserT____", add_user},           {"05_ExtractXALTR__", add_watermark},
    };
    json_add(run->record, "cmdlineA", json_strings(run->source->capture->argv));
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        double since = clock_seconds(CLOCK_MONOTONIC);
        parts[i].add(run);
        measured(run, parts[i].phase, since);
    }
    add_numbers(run);
    add_build_ids(run);
    add_slurm(run);
    add_quality(run);
    measured(run, "07____total______", run->started);
    json_add(run->record, "XALT_measureT", run->measure);
}

void run_record_uuid(const struct capture *capture, char *text)
{
    record_uuid_text(capture->uuid, text);
}

int run_record_build(const struct run_source *source, struct record *record)
{
    struct record built = {.text = NULL};
    char name_end[RECORD_UUID_SIZE + 4];
    struct run run = {
        .source = source,
        .record = record_start(),
        .measure = json_object_new_object(),
        .started = clock_seconds(CLOCK_MONOTONIC),
    };
    if (run.record == NULL || run.measure == NULL) {
        json_object_put(run.record);
        json_object_put(run.measure);
        return -ENOMEM;
    }
    run_record_uuid(source->capture, run.uuid);
    snprintf(name_end, sizeof name_end, "%s.%s", source->ending == NULL ? "aaa" : "zzz", run.uuid);
    scheduler_find(source->journal, source->capture->env, &run.scheduler);
    add_all(&run); /* run.measure now belongs to the record */
    record_name(&built, "run", record_syshost(source->conf, source->journal), source->journal,
                source->capture->start_ns, name_end);
    int result = record_finish(run.record, &built);
    json_object_put(run.record);
    if (result == 0)
        *record = built;
    return result;
}
