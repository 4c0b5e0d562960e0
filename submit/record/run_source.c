/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/record/run_source.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "conf/base/elf_segments.h"
#include "conf/base/text.h"
#include "spank/journal.h"
#include "submit/record/json_add.h"
#include "submit/record/record.h"

/* A part is in one of the few places that its key has: of two parts that come again neither drives
 * the other out. */
enum { SETS = 16, PLACES = 4 };

struct memo_entry {
    const char *name;
    uint64_t hash;
    void *key; /* owned, as the part */
    size_t size;
    struct json_object *part;
};

struct json_memo {
    struct {
        struct memo_entry entry[PLACES];
        unsigned next; /* that is given to another key */
    } set[SETS];
};

void json_memo_start(struct json_memo_key *key, const char *name)
{
    key->name = name;
    key->size = 0;
}

void json_memo_add(struct json_memo_key *key, const void *bytes, size_t size)
{
    if (size > 0 && size <= sizeof key->bytes && key->size <= sizeof key->bytes - size)
        memcpy(key->bytes + key->size, bytes, size);
    key->size += size;
}

/* FNV-1a, by eight bytes. */
static uint64_t hash_of(const struct json_memo_key *key)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ (unsigned char)key->name[0], eight;
    for (size_t at = 0; at < key->size; at += sizeof eight) {
        size_t left = key->size - at;
        eight = 0;
        memcpy(&eight, key->bytes + at, left < sizeof eight ? left : sizeof eight);
        hash = (hash ^ eight) * UINT64_C(0x100000001b3);
    }
    return hash;
}

struct json_memo *json_memo_new(void)
{
    return calloc(1, sizeof(struct json_memo));
}

static unsigned set_of(uint64_t hash)
{
    return (unsigned)(hash >> 32) % SETS;
}

static bool is_of_key(const struct memo_entry *entry, const struct json_memo_key *key,
                      uint64_t hash)
{
    return entry->part != NULL && entry->hash == hash && entry->size == key->size &&
           strcmp(entry->name, key->name) == 0 && memcmp(entry->key, key->bytes, key->size) == 0;
}

/* The text goes before the last reference can: json_object_put() of json-c 0.19 frees the user data
 * of an array or object twice. A run that still holds the part prints it anew. */
static void forget(struct memo_entry *entry)
{
    if (entry->part != NULL)
        json_object_set_serializer(entry->part, NULL, NULL, NULL);
    json_object_put(entry->part);
    free(entry->key);
    *entry = (struct memo_entry){.part = NULL};
}

void json_memo_free(struct json_memo *memo)
{
    for (int i = 0; memo != NULL && i < SETS * PLACES; i++)
        forget(&memo->set[i / PLACES].entry[i % PLACES]);
    free(memo);
}

struct json_object *json_memo_find(const struct json_memo *memo, const struct json_memo_key *key)
{
    if (memo == NULL || key->size > sizeof key->bytes)
        return NULL;
    uint64_t hash = hash_of(key);
    const struct memo_entry *entry = memo->set[set_of(hash)].entry;
    for (int i = 0; i < PLACES; i++)
        if (is_of_key(&entry[i], key, hash))
            return json_object_get(entry[i].part);
    return NULL;
}

struct json_object *json_memo_keep(struct json_memo *memo, const struct json_memo_key *key,
                                   struct json_object *part)
{
    if (memo == NULL || part == NULL || key->size > sizeof key->bytes)
        return part;
    const char *text = json_text(part);
    char *copy = text == NULL ? NULL : text_ascii_json(text);
    void *bytes = malloc(key->size + 1);
    if (copy == NULL || bytes == NULL) {
        free(copy);
        free(bytes);
        return part;
    }
    memcpy(bytes, key->bytes, key->size);
    json_object_set_serializer(part, json_object_userdata_to_json_string, copy,
                               json_object_free_userdata);
    uint64_t hash = hash_of(key);
    unsigned place = memo->set[set_of(hash)].next++ % PLACES;
    struct memo_entry *entry = &memo->set[set_of(hash)].entry[place];
    forget(entry);
    *entry = (struct memo_entry){key->name, hash, bytes, key->size, json_object_get(part)};
    return part;
}

/* MiB: more is no memory of a node's. */
#define MEMORY_MAX (UINT64_C(1) << 40)

/* What the shared part is made of: without gaps, since its bytes are a key. */
struct slurm_facts {
    const char *end_source;      /* NULL: a start record */
    const char *missing_library; /* NULL: none */
    uint64_t dropped;
    uint32_t step, task;
    int32_t outlived, status, status_known;
    uint32_t captured_by;
    uint64_t build_id_size;
    char build_id[BUILD_ID_MAX];
};

_Static_assert(sizeof(struct slurm_facts) == 56 + BUILD_ID_MAX, "without gaps");

static struct slurm_facts slurm_facts(const struct run_source *source)
{
    const struct ending none = {.source = NULL};
    const struct ending *ending = source->ending == NULL ? &none : source->ending;
    struct capture_bytes id = source->capture->build_id;
    struct slurm_facts facts = {
        .end_source = ending->source,
        .missing_library = source->missing_library,
        .dropped = source->dropped,
        .step = source->capture->step,
        .task = source->capture->task,
        .outlived = ending->outlived,
        .status = ending->status,
        .status_known = ending->status_known,
        .captured_by = source->captured_by,
        .build_id_size = id.size < BUILD_ID_MAX ? id.size : BUILD_ID_MAX,
    };
    if (facts.build_id_size > 0)
        memcpy(facts.build_id, id.at, facts.build_id_size);
    return facts;
}

static uint32_t cpu_count(const struct journal *journal, const struct journal_step *step)
{
    if (step == NULL || step->step >= JOURNAL_STEP_INTERACTIVE)
        return journal == NULL ? 0 : journal->cpus;
    return step->tasks * (step->cpus_per_task > 0 ? step->cpus_per_task : 1);
}

/* A start record has none: nulls. */
static void add_ending(struct json_object *table, const struct slurm_facts *facts)
{
    int known = facts->status_known;
    int exited = known && WIFEXITED(facts->status);
    int signaled = known && WIFSIGNALED(facts->status);
    json_add(table, "exit_code",
             known ? json_object_new_int(exited ? WEXITSTATUS(facts->status) : 0) : NULL);
    json_add(table, "signal",
             known ? json_object_new_int(signaled ? WTERMSIG(facts->status) : 0) : NULL);
    json_add(table, "core_dumped", json_object_new_boolean(signaled && WCOREDUMP(facts->status)));
    if (facts->end_source == NULL)
        json_add(table, "end_source", NULL);
    else
        json_add_text(table, "end_source", facts->end_source);
    json_add(table, "outlived", json_object_new_boolean(facts->outlived));
    if (facts->missing_library != NULL)
        json_add_text(table, "missing_library", facts->missing_library);
}

static struct json_object *shared_table(const struct run_source *source,
                                        const struct slurm_facts *facts)
{
    const struct job_identity *identity = source->identity;
    const struct journal *journal = source->journal;
    const struct journal_step *step =
        journal == NULL ? NULL : journal_find_step(journal, facts->step);
    static const char *const names[] = {[CAPTURED_BY_LIBRARY] = "library",
                                        [CAPTURED_BY_JOURNAL] = "journal",
                                        [CAPTURED_BY_KERNEL] = "kernel"};
    struct json_object *table = json_object_new_object();
    char text[32];

    json_add_text(table, "cluster", record_cluster(source->conf, identity->cluster));
    record_add_job(table, identity);
    journal_step_text(facts->step, text, sizeof text);
    json_add_text(table, "step_id", text);
    json_add_int(table, "node_id", step == NULL ? 0 : step->node_id);
    json_add_optional(table, "task_id", facts->task, UINT32_MAX);
    add_ending(table, facts);
    json_add_optional(table, "cpus_alloc", cpu_count(journal, step), 0);
    uint64_t memory_mib = step == NULL || step->memory_mib > MEMORY_MAX ? 0 : step->memory_mib;
    json_add(table, "mem_alloc",
             memory_mib == 0 ? NULL : json_object_new_int64((int64_t)memory_mib * 1048576));
    json_add_int(table, "gpus_alloc", journal == NULL ? 0 : journal->gpus);
    json_add_text(table, "partition", identity->partition);
    json_add_text(table, "qos", identity->qos);
    json_add_int(table, "dropped", (int64_t)facts->dropped);
    json_add_text(table, "captured_by", names[facts->captured_by]);
    json_add(table, "captured", json_object_new_boolean(facts->captured_by == CAPTURED_BY_LIBRARY));
    json_add(
        table, "build_id",
        json_build_id((struct capture_bytes){.at = facts->build_id, .size = facts->build_id_size}));
    return table;
}

uint32_t run_unlisted(const struct capture *capture)
{
    return capture->unlisted == CAPTURE_UNKNOWN ? CAPTURE_UNKNOWN
                                                : capture->unlisted + capture->beyond;
}

/* Bounds of times, as nanoseconds, are widened to what the six decimals of a record can say. */
static uint64_t rounded_down(uint64_t ns)
{
    return ns - ns % 1000;
}

static uint64_t rounded_up(uint64_t ns)
{
    return rounded_down(ns > UINT64_MAX - 999 ? ns : ns + 999);
}

static struct json_object *days(const struct allocation_run *had)
{
    struct json_object *array = json_object_new_array();
    for (size_t i = 0; had != NULL && i < had->day_count; i++) {
        struct json_object *pair = json_object_new_array();
        char text[JSON_DECIMALS_SIZE];
        json_exact(had->day[i].core_seconds, text);
        json_object_array_add(pair, json_object_new_string(had->day[i].date));
        json_object_array_add(pair, json_object_new_double_s(had->day[i].core_seconds, text));
        json_object_array_add(array, pair);
    }
    return array;
}

static void write_or_null(struct json_writer *writer, const char *key, const double *value)
{
    if (value == NULL)
        json_write(writer, key, NULL);
    else
        json_write_exact(writer, key, *value);
}

static double seconds_of(uint64_t ns)
{
    return (double)ns / 1e9;
}

static void write_whole(struct json_writer *writer, const char *key, const uint64_t *value)
{
    int64_t number = value == NULL ? 0 : *value > INT64_MAX ? INT64_MAX : (int64_t)*value;
    json_write(writer, key, value == NULL ? NULL : json_object_new_int64(number));
}

static uint64_t bytes_of(uint64_t kib)
{
    return kib > UINT64_MAX / 1024 ? UINT64_MAX : kib * 1024;
}

/* What the run's process used, where the kernel reported. */
static void write_used(struct json_writer *writer, const struct ending *ending)
{
    const struct kernel_note *used = ending == NULL ? NULL : ending->used;
    double user = 0, system = 0;
    uint64_t peak = 0;
    if (used != NULL) {
        user = seconds_of(used->run_ns - used->system_ns);
        system = seconds_of(used->system_ns);
        peak = bytes_of(used->peak_kib);
    }
    write_or_null(writer, "user_cpu", used == NULL ? NULL : &user);
    write_or_null(writer, "system_cpu", used == NULL ? NULL : &system);
    write_whole(writer, "max_rss", used == NULL ? NULL : &peak);
    write_whole(writer, "disk_read", used == NULL ? NULL : &used->read_bytes);
    write_whole(writer, "disk_write", used == NULL ? NULL : &used->write_bytes);
}

void slurm_table_write(const struct run_source *source, struct json_writer *writer)
{
    const struct slurm_facts facts = slurm_facts(source);
    struct json_memo_key key;
    json_memo_start(&key, "slurmT");
    json_memo_add(&key, &facts, sizeof facts);
    struct json_object *shared = json_memo_find(source->memo, &key);
    if (shared == NULL)
        shared = json_memo_keep(source->memo, &key, shared_table(source, &facts));
    json_write_open(writer, "slurmT");
    json_write_members(writer, shared);
    /* The times between which the run ended. A start record has none: nulls. */
    json_write_measured(
        writer, "end_time_error",
        source->ending == NULL ? 0 : json_seconds(rounded_up(source->ending->error_ns)));
    if (source->ending == NULL) {
        json_write(writer, "end_time_min", NULL);
        json_write(writer, "end_time_max", NULL);
    } else {
        json_write_measured(writer, "end_time_min",
                            json_seconds(rounded_down(source->ending->min_ns)));
        json_write_measured(writer, "end_time_max",
                            json_seconds(rounded_up(source->ending->max_ns)));
    }
    json_write(writer, "pid", json_object_new_int64(source->capture->pid));
    /* What the run had of the allocation. A start record has none: nulls. */
    const struct allocation_run *had = source->ending == NULL ? NULL : source->had;
    write_or_null(writer, "core_seconds", had == NULL ? NULL : &had->core_seconds);
    write_or_null(writer, "core_seconds_max", had == NULL ? NULL : &had->most);
    json_write(writer, "core_days", days(had));
    json_write(writer, "leads", json_object_new_boolean(had != NULL && had->leads));
    write_or_null(writer, "clock_step", source->ending == NULL ? NULL : source->clock_step);
    write_used(writer, source->ending);
    /* What the children used that it forked and that executed nothing, likewise. */
    const bool is_known =
        source->ending != NULL && source->ending->used != NULL && source->ending->seen != NULL;
    const struct kernel_forked *forked = is_known ? &source->ending->seen->forked : NULL;
    const double cpu = is_known ? seconds_of(forked->run_ns) : 0;
    const uint64_t peak = is_known ? bytes_of(forked->peak_kib) : 0;
    write_whole(writer, "forked", is_known ? &forked->count : NULL);
    write_whole(writer, "forked_signaled", is_known ? &forked->signaled : NULL);
    write_or_null(writer, "forked_cpu", is_known ? &cpu : NULL);
    write_whole(writer, "forked_max_rss", is_known ? &peak : NULL);
    write_whole(writer, "forked_read", is_known ? &forked->read_bytes : NULL);
    write_whole(writer, "forked_write", is_known ? &forked->write_bytes : NULL);
    json_write(writer, "forked_least", json_object_new_boolean(is_known && forked->is_least));
    const uint64_t unlisted = run_unlisted(source->capture);
    write_whole(writer, "unlisted", unlisted == CAPTURE_UNKNOWN ? NULL : &unlisted);
    json_write_close(writer);
}
