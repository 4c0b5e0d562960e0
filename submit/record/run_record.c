/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/record/run_record.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/clocks.h"
#include "conf/base/uuid7.h"
#include "extensions.h"
#include "spank/journal.h"
#include "submit/evidence/watermark.h"
#include "submit/facts/bundle_path.h"
#include "submit/facts/file_facts.h"
#include "submit/facts/scheduler.h"
#include "submit/record/command_line.h"
#include "submit/record/json_add.h"
#include "submit/record/json_write.h"

enum { PHASES_MAX = 8 };

/* What the parts of a record share. */
struct run_draft {
    const struct run_source *source;
    struct json_writer record;
    struct {
        const char *phase;
        double seconds;
    } took[PHASES_MAX]; /* for XALT_measureT */
    size_t phases;
    struct file_hash executable;
    char exec_path[PATH_MAX];
    char uuid[RECORD_UUID_SIZE];
    struct scheduler scheduler;
    bool is_marked;     /* the watermark says when it was built */
    double build_epoch; /* what it says; 0: no time */
};

/* "Wed Sep 25 14:24:19 2019", as ctime(3) without its newline. Runs close in time have the same. */
struct date {
    time_t when;
    char text[64]; /* "": none yet */
};

static const char *date_text(time_t when, struct date *date)
{
    struct tm local;
    if (date->text[0] != '\0' && date->when == when)
        return date->text;
    date->when = when;
    date->text[0] = '\0';
    if (localtime_r(&when, &local) != NULL)
        strftime(date->text, sizeof date->text, "%a %b %d %H:%M:%S %Y", &local);
    return date->text;
}

/* The step's own numbers where Slurm launched the ranks; the job's where mpirun did, in the batch
 * step, and more than one rank runs. */
static uint32_t node_count(const struct run_source *source, const struct scheduler *scheduler)
{
    if (source->identity->job == 0 || source->journal == NULL)
        return scheduler->nodes;
    const struct journal_step *step = journal_find_step(source->journal, source->capture->step);
    if (step != NULL && step->nodes > 0)
        return step->nodes;
    return source->capture->size > 1 && source->journal->nodes > 0 ? source->journal->nodes : 1;
}

static void measured(struct run_draft *run, const char *phase, double seconds)
{
    run->took[run->phases].phase = phase;
    run->took[run->phases++].seconds = seconds;
}

/* What the environment says outside of Slurm; in Slurm it is root's. */
static void add_scheduler_text(struct run_draft *run, const char *key, const char *text)
{
    if (run->source->identity->job != 0)
        json_write_text(&run->record, key, text);
    else
        json_write(&run->record, key, command_line_text(run->source->lines, text_bytes(text)));
}

static void add_user(struct run_draft *run)
{
    const struct capture *capture = run->source->capture;
    const struct job_identity *identity = run->source->identity;
    struct json_writer *record = &run->record;
    static struct date modified, started;
    char text[JSON_DECIMALS_SIZE], room[PATH_MAX];
    const struct capture_bytes exec = bundle_path(capture->exec, room);

    json_write_open(record, "userT");
    add_scheduler_text(run, "account", run->scheduler.account);
    if (capture->container.at != NULL)
        json_write_bytes(record, "container", capture->container);
    json_decimals(clock_seconds(CLOCK_REALTIME), 4, text);
    json_write_text(record, "currentEpoch", text);
    json_write_bytes(record, "cwd", capture->cwd);
    json_write_text(record, "execModify", date_text(run->executable.modified.tv_sec, &modified));
    if (run->source->captured_by !=
        CAPTURED_BY_LIBRARY) /* there may be no such file: then the words are a user's */
        json_write(record, "exec_path", command_line_text(run->source->lines, exec));
    else
        json_write_bytes(record, "exec_path", exec);
    json_write_text(record, "exec_type", "binary");
    add_scheduler_text(run, "job_id", run->scheduler.job_id);
    add_scheduler_text(run, "queue", run->scheduler.queue);
    json_write_text(record, "run_uuid", run->uuid);
    json_write_text(record, "scheduler", run->scheduler.name);
    json_write_text(record, "start_date",
                    date_text((time_t)(capture->start_ns / 1000000000u), &started));
    add_scheduler_text(run, "submit_host", run->scheduler.submit_host);
    json_write_text(record, "syshost", record_syshost(run->source->conf, identity->cluster));
    json_write_text(record, "user", identity->user[0] == '\0' ? "unknown" : identity->user);
    json_write_close(record);
}

static void add_numbers(struct run_draft *run)
{
    const struct capture *capture = run->source->capture;
    uint64_t end_ns = run->source->ending == NULL ? 0 : run->source->ending->end_ns;
    uint64_t run_ns = run->source->run_ns;
    if (end_ns != 0 && run_ns == 0)
        run_ns = end_ns - capture->start_ns;
    struct json_writer *record = &run->record;
    const struct {
        const char *key;
        double value;
    } numbers[] = {
        {"exec_epoch", (double)run->executable.modified.tv_sec},
        {"num_cores", capture->size},
        {"num_gpus", capture->gpus},
        {"num_nodes", node_count(run->source, &run->scheduler)},
        {"num_tasks", capture->size},
        {"num_threads", scheduler_threads(capture->facts)},
    };
    json_write_open(record, "userDT");
    if (run->is_marked)
        json_write_double(record, "Build_Epoch", run->build_epoch);
    json_write_measured(record, "end_time", json_seconds(end_ns));
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        json_write_double(record, numbers[i].key, numbers[i].value);
    /* XALT's four decimals are too few: the kernel tells times to microseconds, and a record stands
     * for one over so many runs. */
    json_write_measured(record, "run_time", json_seconds(run_ns));
    json_write_measured(record, "start_time", json_seconds(capture->start_ns));
    json_write_exact(record, "probability", run->source->probability);
    json_write_close(record);
}

static void add_environment(struct run_draft *run)
{
    struct capture_bytes env = run->source->capture->env;
    struct json_memo *memo = run->source->memo;
    struct json_memo_key key;
    json_memo_start(&key, "envT");
    json_memo_add(&key, env.at, env.size);
    struct json_object *table = json_memo_find(memo, &key);
    if (table == NULL)
        table = json_memo_keep(memo, &key, command_line_variables(run->source->lines, env));
    json_write(&run->record, "envT", table);
}

/* The process walks up to its task; above that is the step's daemon, whom root knows. */
static void add_daemon(const struct run_source *source, struct json_object *array)
{
    const struct capture *capture = source->capture;
    const struct journal_step *step =
        source->journal == NULL ? NULL : journal_find_step(source->journal, capture->step);
    char title[64], name[32];
    if (capture->task_pid == 0 || step == NULL || step->pid == 0)
        return;
    struct json_object *entry = json_object_new_object();
    json_add_text(entry, "cmd_name", "slurmstepd");
    json_add_text(entry, "cmd_path", "");
    json_add_int(entry, "pid", step->pid);
    journal_step_text(step->step, name, sizeof name);
    snprintf(title, sizeof title, "slurmstepd: [%u.%s]", source->identity->job, name);
    json_add(entry, "cmdlineA", command_line_json(source->lines, text_bytes(title)));
    json_object_array_add(array, entry);
}

static struct json_object *ancestors(const struct run_source *source)
{
    const struct capture *capture = source->capture;
    struct json_object *array = json_object_new_array();
    for (size_t i = 0; i < capture->ancestor_count; i++) {
        const struct capture_ancestor *ancestor = &capture->ancestors[i];
        struct json_object *entry = json_object_new_object();
        char room[PATH_MAX];
        json_add_bytes(entry, "cmd_name", ancestor->name);
        json_add_bytes(entry, "cmd_path", bundle_path(ancestor->path, room));
        json_add_int(entry, "pid", ancestor->pid);
        json_add(entry, "cmdlineA",
                 command_line_of_ancestor(source->lines, ancestor->path, ancestor->argv));
        json_object_array_add(array, entry);
    }
    add_daemon(source, array);
    return array;
}

static void key_of_ancestors(const struct capture *capture, struct json_memo_key *key)
{
    const int64_t whose[] = {capture->task_pid, capture->step};
    json_memo_add(key, whose, sizeof whose);
    for (size_t i = 0; i < capture->ancestor_count; i++) {
        const struct capture_ancestor *ancestor = &capture->ancestors[i];
        const uint64_t sizes[] = {ancestor->name.size, ancestor->path.size, ancestor->argv.size,
                                  (uint64_t)(uint32_t)ancestor->pid};
        json_memo_add(key, sizes, sizeof sizes);
        json_memo_add(key, ancestor->name.at, ancestor->name.size);
        json_memo_add(key, ancestor->path.at, ancestor->path.size);
        json_memo_add(key, ancestor->argv.at, ancestor->argv.size);
    }
}

/* What one process starts has the same ancestors. */
static void add_ancestors(struct run_draft *run)
{
    struct json_memo *memo = run->source->memo;
    struct json_memo_key key;
    json_memo_start(&key, "ptA");
    key_of_ancestors(run->source->capture, &key);
    struct json_object *array = json_memo_find(memo, &key);
    if (array == NULL)
        array = json_memo_keep(memo, &key, ancestors(run->source));
    json_write(&run->record, "ptA", array);
}

/* As the process reported it, or, of an object that was loaded later, as the file has it. */
static struct json_object *object_build_id(const struct capture_object *object)
{
    char path[PATH_MAX];
    if (object->build_id.at != NULL)
        return json_build_id(object->build_id);
    copy_bytes(object->path, path, sizeof path);
    const struct file_facts *facts = file_facts_build_id(path);
    return json_build_id(
        (struct capture_bytes){.at = facts == NULL ? NULL : (const char *)facts->id,
                               .size = facts == NULL ? 0 : facts->id_size});
}

/* Of each object, or "0". */
static struct json_object *build_ids(const struct run_source *source)
{
    const struct capture *capture = source->capture;
    struct json_object *array = json_object_new_array();
    for (size_t i = 0; i < capture->object_count; i++)
        json_object_array_add(array, object_build_id(&capture->objects[i]));
    return array;
}

/* [real path, sha1 or "0"] */
static struct json_object *object_entry(const struct capture_object *object, int hash)
{
    char path[PATH_MAX], room[PATH_MAX];
    struct json_object *pair = json_object_new_array();
    copy_bytes(object->path, path, sizeof path);
    const struct file_facts *facts = hash ? file_facts_hash(path) : file_facts(path);
    const char *real = facts == NULL ? path : facts->real;
    json_object_array_add(pair, json_bytes(bundle_path(text_bytes(real), room)));
    json_object_array_add(pair,
                          json_object_new_string(hash && facts != NULL ? facts->hash.sha1 : "0"));
    return pair;
}

/* The same of a container's: the host has other files under its names. */
static struct json_object *plain_entry(const struct capture_object *object)
{
    char room[PATH_MAX];
    struct json_object *pair = json_object_new_array();
    json_object_array_add(pair, json_bytes(bundle_path(object->path, room)));
    json_object_array_add(pair, json_object_new_string("0"));
    return pair;
}

static struct json_object *objects(const struct run_source *source)
{
    const struct capture *capture = source->capture;
    struct json_object *array = json_object_new_array();
    for (size_t i = 0; i < capture->object_count; i++)
        json_object_array_add(array,
                              source->is_elsewhere
                                  ? plain_entry(&capture->objects[i])
                                  : object_entry(&capture->objects[i], source->conf->hash_objects));
    return array;
}

static void key_of_objects(const struct capture *capture, struct json_memo_key *key)
{
    for (size_t i = 0; i < capture->object_count; i++) {
        const struct capture_object *object = &capture->objects[i];
        const uint64_t sizes[] = {object->path.size, object->build_id.size,
                                  object->build_id.at != NULL};
        json_memo_add(key, sizes, sizeof sizes);
        json_memo_add(key, object->path.at, object->path.size);
        json_memo_add(key, object->build_id.at, object->build_id.size);
    }
}

static void add_of_objects(struct run_draft *run, const char *name,
                           struct json_object *(*make)(const struct run_source *))
{
    struct json_memo *memo = run->source->memo;
    struct json_memo_key key;
    json_memo_start(&key, name);
    key_of_objects(run->source->capture, &key);
    struct json_object *array = json_memo_find(memo, &key);
    if (array == NULL)
        array = json_memo_keep(memo, &key, make(run->source));
    json_write(&run->record, name, array);
}

static void add_objects(struct run_draft *run)
{
    add_of_objects(run, "libA", objects);
}

/* Where a watermark's values go. */
struct watermark_values {
    struct json_object *table;
    const struct command_lines *lines;
};

/* What xaltLinkT can have. A user can have written a note with other keys. */
static bool is_watermark_key(const char *key)
{
    static const char *const keys[] = {
#define BUILD_KEY(key, form, column) #key,
#include "submit/definition/keys.def"
        "Build_Year", "Build_date", /* which are in no column */
    };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strcmp(key, keys[i]) == 0)
            return true;
    }
    return false;
}

static void add_watermark_key(void *context, const char *key, const char *value)
{
    const struct watermark_values *values = context;
    if (!is_watermark_key(key))
        return;
    json_object_object_add(values->table, key, command_line_text(values->lines, text_bytes(value)));
}

static void add_watermark(struct run_draft *run)
{
    struct capture_bytes note = run->source->capture->watermark;
    struct json_object *table = json_object_new_object();
    struct watermark_values values = {table, run->source->lines};
    struct json_object *epoch;
    if (note.at != NULL)
        watermark_read(note.at, note.size, add_watermark_key, &values);
    run->is_marked = json_object_object_get_ex(table, "Build_Epoch", &epoch);
    if (run->is_marked)
        run->build_epoch = watermark_epoch(json_object_get_string(epoch));
    json_write(&run->record, "xaltLinkT", table);
}

/* What a run adds to XALT_qaT: without gaps, since its bytes are a key. */
struct quality {
    const char *pkgs, *hooked, *cut;
    uint64_t lost, unhashed;
};

/* How many of the run's files were not hashed for being beyond the bounds. */
static uint64_t unhashed(const struct run_draft *run)
{
    const struct capture *capture = run->source->capture;
    uint64_t count = run->executable.beyond != 0;
    char path[PATH_MAX];
    bool is_hashed = run->source->conf->hash_objects && !run->source->is_elsewhere;
    for (size_t i = 0; is_hashed && i < capture->object_count; i++) {
        copy_bytes(capture->objects[i].path, path, sizeof path);
        const struct file_facts *facts = file_facts_hash(path);
        count += facts != NULL && facts->hash.beyond;
    }
    return count;
}

static const char *yes(int value)
{
    return value ? "yes" : "no";
}

static struct json_object *quality_table(const struct conf *conf, const struct quality *quality)
{
    struct json_object *table = json_object_new_object();
    char text[24];
    json_add_text(table, "JOBTRAIL_VERSION", JOBTRAIL_VERSION);
    json_add_text(table, "XALT_EXECUTABLE_TRACKING", "yes");
    json_add_text(table, "XALT_SAMPLING", yes(conf->sample));
    snprintf(text, sizeof text, "%u", conf->always_ranks);
    json_add_text(table, "XALT_MPI_ALWAYS_RECORD", text);
    json_add_text(table, "XALT_MPI_TRACKING", yes(conf->track_programs != CONF_PROGRAMS_SCALAR));
    json_add_text(table, "XALT_SCALAR_TRACKING", yes(conf->track_programs != CONF_PROGRAMS_MPI));
    json_add_text(table, "XALT_GPU_TRACKING", "yes");
    json_add_text(table, "XALT_TRANSMISSION_STYLE", conf->transport);
    json_add_text(table, "JOBTRAIL_PKGS", quality->pkgs);
    json_add_text(table, "JOBTRAIL_PKGS_HOOK", quality->hooked);
    snprintf(text, sizeof text, "%" PRIu64, quality->lost);
    json_add_text(table, "JOBTRAIL_PKGS_LOST", text);
    json_add_text(table, "JOBTRAIL_CAPTURE_CUT", quality->cut);
    snprintf(text, sizeof text, "%" PRIu64, quality->unhashed);
    json_add_text(table, "JOBTRAIL_UNHASHED", text);
    return table;
}

static void add_quality(struct run_draft *run)
{
    const struct run_source *source = run->source;
    const struct package_run *packages = source->packages;
    const struct capture *capture = source->capture;
    uint32_t unlisted = run_unlisted(capture);
    const struct quality quality = {
        .pkgs = yes(capture->pkgs),
        .hooked = yes(packages != NULL && packages->hooked),
        .cut = yes(capture->cut || capture->beyond > 0 ||
                   (unlisted > 0 && unlisted != CAPTURE_UNKNOWN)),
        .lost = packages == NULL ? 0 : packages->lost,
        .unhashed = unhashed(run),
    };
    struct json_memo_key key;
    json_memo_start(&key, "XALT_qaT");
    json_memo_add(&key, &quality, sizeof quality);
    struct json_object *table = json_memo_find(source->memo, &key);
    if (table == NULL)
        table = json_memo_keep(source->memo, &key, quality_table(source->conf, &quality));
    json_write(&run->record, "XALT_qaT", table);
}

static void look_at_executable(struct run_draft *run)
{
    const struct capture *capture = run->source->capture;
    copy_bytes(capture->exec, run->exec_path, sizeof run->exec_path);
    const struct file_facts *facts =
        run->source->is_elsewhere ? NULL : file_facts_hash(run->exec_path);
    run->executable = facts == NULL ? (struct file_hash){.sha1 = "0"} : facts->hash;
    json_write_text(&run->record, "hash_id", run->executable.sha1);
}

static const struct {
    const char *key;
    struct json_object *(*make)(const struct capture *); /* NULL: it is not built */
} of_extensions[] = {{"routineT", JOBTRAIL_ROUTINES ? routine_table : NULL}};

/* The time that each phase took stands beside, under XALT's name for the phase. */
static void add_all(struct run_draft *run)
{
    static const struct {
        const char *phase;
        void (*add)(struct run_draft *);
    } parts[] = {
        {"02_Sha1_exec_____", look_at_executable}, {"06_ParseProcMaps_", add_objects},
        {"04_WalkProcTree__", add_ancestors},      {"03_BuildEnvT_____", add_environment},
        {"01_BuildUserT____", add_user},           {"05_Build_RecordT_", add_watermark},
    };
    struct json_object *table;
    double started = clock_seconds(CLOCK_MONOTONIC);
    json_write(&run->record, "cmdlineA",
               command_line_json(run->source->lines, run->source->capture->argv));
    double since = clock_seconds(CLOCK_MONOTONIC);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        parts[i].add(run);
        double now = clock_seconds(CLOCK_MONOTONIC);
        measured(run, parts[i].phase, now - since);
        since = now;
    }
    add_numbers(run);
    /* Our own, beside libA. */
    add_of_objects(run, "buildIdA", build_ids);
    for (size_t i = 0; i < sizeof of_extensions / sizeof *of_extensions; i++)
        if (of_extensions[i].make != NULL &&
            (table = of_extensions[i].make(run->source->capture)) != NULL)
            json_write(&run->record, of_extensions[i].key, table);
    slurm_table_write(run->source, &run->record);
    add_quality(run);
    measured(run, "07_GPU_Setup_____", 0);
    measured(run, "08____total______", clock_seconds(CLOCK_MONOTONIC) - started);
    json_write_open(&run->record, "XALT_measureT");
    for (size_t i = 0; i < run->phases; i++)
        json_write_measured(&run->record, run->took[i].phase, run->took[i].seconds);
    json_write_close(&run->record);
}

void run_record_uuid(const struct capture *capture, char *text)
{
    uuid_unparse_lower(capture->uuid, text);
}

int run_record_build(const struct run_source *source, struct built_record *record)
{
    char name_end[RECORD_UUID_SIZE + 4];
    struct run_draft run = {.source = source};
    record_begin(&run.record);
    run_record_uuid(source->capture, run.uuid);
    snprintf(name_end, sizeof name_end, "%s.%s", source->ending == NULL ? "aaa" : "zzz", run.uuid);
    scheduler_find(source->conf->scheduler, source->identity,
                   source->journal == NULL ? "" : source->journal->submit_host,
                   source->capture->facts, &run.scheduler);
    add_all(&run);
    record_name(record, "run", record_syshost(source->conf, source->identity->cluster),
                source->identity->user, source->capture->start_ns, name_end);
    return record_end(&run.record, record);
}
