/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/parse/load_record.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "conf/base/json_pairs.h"
#include "conf/base/text.h"
#include "conf/base/uuid7.h"
#include "submit/load/parse/ancestor_pids.h"
#include "submit/load/parse/canonical.h"
#include "submit/load/parse/json_members.h"
#include "submit/load/parse/json_parse.h"
#include "submit/load/parse/record_crc.h"
#include "submit/load/parse/record_part.h"
#include "submit/load/parse/record_plain.h"
#include "submit/load/parse/record_values.h"
#include "submit/load/parse/summary_sound.h"
#include "submit/load/parse/witness_words.h"

#define DAY_S   86400.0
#define LEADS_S (366 * DAY_S)

/* ---- The members of a record ---------------------------------------------------------------- */

/* How the value of each key is read. */
static const enum {
    TABLE,
    VALUE,
    LIST,
    PASSED
} readings[RECORD_TOPS] = {
#define RECORD_TOP(kind, key, form, reading) [RECORD_TOP_##key] = (reading),
#include "submit/definition/keys.def"
};

/* A record that is being read. */
struct reader {
    struct record *record;
    enum record_kind named; /* RECORD_KINDS: by nobody */
    struct record_keys keys;
    struct id_cache *seen;
    struct json_slice top[RECORD_TOPS]; /* the values of keys, of size 0 without one */
    bool is_plain;                      /* no value has to be parsed, but maybe those in tables */
    struct load_reason *reason;
};

static int parse(struct reader *reader, struct json_slice value, struct json_object **parsed)
{
    return json_parse(value.at, value.size, parsed, &reader->record->root_bytes, reader->reason);
}

/* Into the tree of values. */
static int parse_top(struct reader *reader, enum record_top top)
{
    struct json_object *root = reader->record->root, *parsed;
    int error = parse(reader, reader->top[top], &parsed);
    if (error != 0)
        return error;
    return json_object_object_add(root, record_top_name(top), parsed) == 0 ? 0 : -ENOMEM;
}

/* What no record has is not kept, but has to be JSON. */
static int note_member(struct reader *reader, struct json_slice key, struct json_slice value)
{
    int top = record_keys_note(&reader->keys, key.at, key.size);
    bool is_plain =
        (top >= 0 && readings[top] != VALUE) || is_plain_value(value) || is_plain_array(value);
    struct json_object *unknown = NULL;
    reader->is_plain &= is_plain;
    if (top >= 0 && reader->top[top].size == 0)
        reader->top[top] = value;
    int error = top >= 0 || is_plain ? 0 : parse(reader, value, &unknown);
    json_object_put(unknown);
    return error;
}

static int read_members(const char *text, size_t size, struct reader *reader)
{
    struct json_members members;
    struct json_slice key, value;
    enum json_step step = JSON_BAD;
    int error = 0;
    if (json_members_open(&members, text, size))
        while ((step = json_members_next(&members, &key, &value)) == JSON_MEMBER && error == 0)
            error = note_member(reader, key, value);
    return step == JSON_BAD ? -EBADMSG : error;
}

/* ---- Values that follow --------------------------------------------------------------------- */

/* In lower case, as RFC 9562 has it: not every database compares them as text. */
static int check_uuid(char *text, const char *key, struct load_reason *reason)
{
    uuid_t uuid;
    if (text == NULL || uuid_parse(text, uuid) != 0)
        return load_refuse(reason, "%s is not a uuid", key);
    uuid_unparse_lower(uuid, text);
    return 0;
}

/* XALT names the job in userT alone; at some sites not as a bare number. Where slurmT has none,
 * what userT says is no job of Slurm's: a session's user sets the variables that it is made of. */
static void derive_job_id(struct run_record *run)
{
    const char *text = run->job_id;
    if (run->job_id_raw.known || run->node != NULL || text == NULL || text[0] == '\0')
        return;
    if (strlen(text) <= 15 && text[strspn(text, "0123456789")] == '\0')
        run->job_id_raw = (struct record_int){true, strtoll(text, NULL, 10)};
}

/* A start record says end_time 0.0 and knows no source of its end. */
static void derive_end(struct run_record *run)
{
    bool has_end = run->end_time.known && run->end_time.value > 0;
    run->is_start_only = !has_end && run->end_source == NULL;
    if (!has_end) {
        run->end_time.known = false;
        run->run_time.known = false;
        run->end_time_min.known = false;
        run->end_time_max.known = false;
        run->core_seconds.known = run->core_seconds.known && !run->is_start_only;
        run->core_seconds_max.known = run->core_seconds_max.known && !run->is_start_only;
    }
}

/* A bound that is known is a time, and on its side of the end. Where the record has no end, none is
 * known (derive_end()). */
static int check_end_bounds(const struct run_record *run, struct load_reason *reason)
{
    const struct record_real *min = &run->end_time_min, *max = &run->end_time_max;
    if (min->known && min->value <= 0)
        return load_refuse(reason, "slurmT.end_time_min is out of range");
    if (min->known && min->value > run->end_time.value)
        return load_refuse(reason, "slurmT.end_time_min is after userDT.end_time");
    if (max->known && max->value < run->end_time.value)
        return load_refuse(reason, "slurmT.end_time_max is before userDT.end_time");
    return 0;
}

void record_date(struct record_real when, char *date)
{
    time_t seconds = (time_t)when.value;
    struct tm local;
    date[0] = '\0';
    if (when.known && localtime_r(&seconds, &local) != NULL && local.tm_year >= 1000 - 1900 &&
        local.tm_year <= 9999 - 1900)
        strftime(date, RECORD_DATE_SIZE, "%Y-%m-%d %H:%M:%S", &local);
}

/* An array that each record has its own of: known to be one, and as text. */
static int read_array(struct reader *reader, enum record_top top, const char **text)
{
    const char *key = record_top_name(top);
    struct record *record = reader->record;
    struct json_slice slice = reader->top[top];
    if (slice.size == 0)
        return 0;
    if (is_plain_array(slice)) {
        *text = record->list_text = strndup(slice.at, slice.size);
        return *text == NULL ? -ENOMEM : 0;
    }
    if (record->root == NULL && (record->root = json_object_new_object()) == NULL)
        return -ENOMEM;
    int error = parse_top(reader, top);
    struct json_object *array = json_object_object_get(record->root, key);
    if (error != 0 || array == NULL)
        return error;
    if (!json_object_is_type(array, json_type_array))
        return load_refuse(reader->reason, "%s is not an array", key);
    *text = canonical_text(array, NULL);
    return *text == NULL ? -ENOMEM : 0;
}

/* ---- Kinds of records ----------------------------------------------------------------------- */

static int read_part(const struct reader *reader, struct record_part *part, enum part_kind kind,
                     enum record_top top, const char *scope)
{
    return record_part_read(part, kind, record_top_name(top), scope, reader->top[top], reader->seen,
                            reader->reason);
}

/* The objects with their build-ids: the part is the text of an object of both. */
static int read_libs(struct reader *reader, struct run_record *run)
{
    struct record *record = reader->record;
    struct json_slice *libs = &reader->top[RECORD_TOP_libA];
    const struct json_slice ids = reader->top[RECORD_TOP_buildIdA];
    if (libs->size > 0 && libs->at[0] == '[' && ids.size > 0 && is_plain_array(ids)) {
        char *text = NULL;
        int size = asprintf(&text, "{\"libA\":%.*s,\"buildIdA\":%.*s}", (int)libs->size, libs->at,
                            (int)ids.size, ids.at);
        if (size < 0)
            return -ENOMEM;
        record->libs_text = text;
        *libs = (struct json_slice){text, (size_t)size};
    }
    return read_part(reader, &run->libs, PART_LIBS, RECORD_TOP_libA, run->syshost);
}

static int read_ancestors(struct reader *reader, struct run_record *run)
{
    struct record *record = reader->record;
    struct json_slice *slice = &reader->top[RECORD_TOP_ptA];
    if (slice->size == 0)
        return 0;
    const char *job = run->job_id != NULL && run->job_id[0] >= '1' ? run->job_id : NULL;
    int error = ancestor_pids_split(*slice, job, &record->ancestors_text, &record->pids_text);
    if (error != 0)
        return error;
    run->ancestor_pids = record->pids_text;
    *slice = (struct json_slice){record->ancestors_text, strlen(record->ancestors_text)};
    return read_part(reader, &run->ancestors, PART_ANCESTORS, RECORD_TOP_ptA, NULL);
}

/* An empty watermark is none. */
static int read_build(struct reader *reader, struct run_record *run)
{
    struct json_members members;
    struct json_slice key, value, text = reader->top[RECORD_TOP_xaltLinkT];
    if (text.size == 0 || !json_members_open(&members, text.at, text.size) ||
        json_members_next(&members, &key, &value) != JSON_MEMBER)
        return 0;
    return read_part(reader, &run->build, PART_BUILD, RECORD_TOP_xaltLinkT, NULL);
}

/* Of the tree of values; without one the array has been found in the text. */
static int find_days(const struct reader *reader, struct run_record *run)
{
    struct json_object *table = json_object_object_get(reader->record->root, "slurmT");
    struct json_object *array = NULL;
    if (!json_object_is_type(table, json_type_object) ||
        !json_object_object_get_ex(table, "core_days", &array))
        return 0;
    const char *text = json_object_to_json_string_ext(array, JSON_C_TO_STRING_PLAIN);
    if (text == NULL)
        return -ENOMEM;
    run->core_days = (struct json_slice){text, strlen(text)};
    return 0;
}

/* The days lie in the time of the run, give or take a day for the time zone that they were cut in,
 * and what the clock was set by. A run that leads has what others had that followed it, who may
 * have begun before it, and run on after it. */
static bool is_in_time(const struct run_record *run)
{
    const struct run_days *days = &run->days;
    const struct run_day *last = days->list == NULL ? &days->first : days->list + days->count - 1;
    double start = run->start_time.value;
    double end = run->end_time.known ? run->end_time.value : start;
    double rest = DAY_S;
    if (run->end_time_max.known && run->end_time_max.value > end)
        end = run->end_time_max.value;
    if (run->clock_step.known)
        rest += fabs(run->clock_step.value);
    if (run->leads.known && run->leads.value != 0)
        rest += LEADS_S;
    return run->start_time.known && (days->first.day + 1.0) * DAY_S > start - rest &&
           last->day * DAY_S <= end + rest;
}

/* Numbers are rounded where they were written. */
static int check_days(const struct run_record *run, struct load_reason *reason)
{
    const struct run_days *days = &run->days;
    double sum = run->core_seconds.known ? run->core_seconds.value : 0;
    double rounding = 0.01 * ((double)days->count + 1) + 1e-9 * sum;
    if (days->count > 0 && !run->core_seconds.known)
        return load_refuse(reason, "slurmT.core_days is there without core_seconds");
    if (days->sum > sum + rounding || days->sum < sum - rounding)
        return load_refuse(reason, "slurmT.core_days does not add up to core_seconds");
    if (days->count > 0 && !is_in_time(run))
        return load_refuse(reason, "slurmT.core_days has days on which the run did not run");
    return 0;
}

static int read_days(struct reader *reader, struct run_record *run)
{
    int error = find_days(reader, run);
    if (error == 0 && run->core_days.size > 0)
        error = run_days_read(run->core_days, &run->days, reader->reason);
    return error == 0 ? check_days(run, reader->reason) : error;
}

/* How far the clock of first calls may be from that of starts and ends: a tick, and what the node's
 * was set by. */
#define ROUTINES_SLACK_S 1.0

/* Until when a run ran at the latest; without its end, when its record was written. */
static double latest_end(const struct run_record *run)
{
    if (!run->end_time.known)
        return run->record_epoch.known ? run->record_epoch.value : HUGE_VAL;
    bool has_later = run->end_time_max.known && run->end_time_max.value > run->end_time.value;
    return has_later ? run->end_time_max.value : run->end_time.value;
}

static int read_routines(struct reader *reader, struct run_record *run)
{
    struct json_object *parsed = NULL;
    double slack = ROUTINES_SLACK_S;
    if (reader->top[RECORD_TOP_routineT].size == 0)
        return 0;
    int error = parse(reader, reader->top[RECORD_TOP_routineT], &parsed);
    if (error == 0)
        error = run_routines_read(parsed, &run->routines, reader->reason);
    if (run->clock_step.known)
        slack += fabs(run->clock_step.value);
    if (error == 0)
        run_routines_bound(&run->routines, run->start_time.known ? run->start_time.value : 0,
                           latest_end(run), slack);
    return error;
}

/* All but its plain values. */
static int read_rest(struct reader *reader)
{
    struct record *record = reader->record;
    struct run_record *run = &record->run;
    int error = check_uuid((char *)(uintptr_t)run->uuid, "userT.run_uuid", reader->reason);
    if (error == 0)
        error = read_array(reader, RECORD_TOP_cmdlineA, &run->cmdline);
    if (error == 0)
        error = read_libs(reader, run);
    if (error == 0)
        error = read_part(reader, &run->environment, PART_ENVIRONMENT, RECORD_TOP_envT, NULL);
    if (error == 0)
        error = read_ancestors(reader, run);
    if (error == 0)
        error = read_build(reader, run);
    derive_job_id(run);
    derive_end(run);
    if (error == 0)
        error = check_end_bounds(run, reader->reason);
    if (error == 0 && !run->is_start_only)
        error = read_days(reader, run);
    if (error == 0)
        error = read_routines(reader, run);
    if (run->start_time.known) /* else nothing says when the run was */
        run->record_epoch.known = false;
    return error;
}

static int read_run(struct reader *reader)
{
    int error = record_read_values(reader->record->root, &all_run_fields, &reader->record->run,
                                   reader->reason);
    return error == 0 ? read_rest(reader) : error;
}

static int read_link(struct reader *reader)
{
    struct link_record *link = &reader->record->link;
    struct json_object *root = reader->record->root;
    int error = record_read_values(root, &link_fields, link, reader->reason);
    if (error == 0 && !uuid_is_text(link->uuid))
        error = load_refuse(reader->reason, "resultT.uuid is not a uuid");
    if (error == 0)
        error = read_array(reader, RECORD_TOP_link_line, &link->link_line);
    if (error == 0)
        error = read_part(reader, &link->libs, PART_LIBS, RECORD_TOP_linkA, link->build_syshost);
    if (error == 0)
        error = read_part(reader, &link->functions, PART_FUNCTIONS, RECORD_TOP_function, NULL);
    return error;
}

static int read_package(struct reader *reader)
{
    struct package_record *package = &reader->record->package;
    int error = record_read_values(reader->record->root, &package_fields, package, reader->reason);
    if (error == 0)
        error = check_uuid((char *)(uintptr_t)package->run_uuid, "xalt_run_uuid", reader->reason);
    return error;
}

/* The numbers of coverage records. */
static const struct {
    const char *table, *key, *form;
} coverage_numbers[] = {
#define COVERAGE_KEY(table, key, form, from, store, column) {table, #key, #form},
#include "submit/definition/keys.def"
};

/* No count is more than 32 bits hold, and no number is negative, but for what the clock was set by.
 */
static bool is_number_sound(const char *form, const char *key, struct json_object *value)
{
    const double most = strncmp(form, "WHOLE", 5) == 0 ? UINT32_MAX : 1e18;
    const double least = strcmp(key, "clock_step") == 0 ? -most : 0;
    enum json_type type = json_object_get_type(value);
    if (type != json_type_int && type != json_type_double)
        return true;
    double number = json_object_get_double(value);
    return number >= least && number <= most;
}

static int check_numbers(struct json_object *table, const char *name, struct load_reason *reason)
{
    for (size_t i = 0; i < sizeof coverage_numbers / sizeof coverage_numbers[0]; i++) {
        const char *key = coverage_numbers[i].key;
        struct json_object *value = json_object_object_get(table, key);
        if (strcmp(coverage_numbers[i].table, name) == 0 &&
            !is_number_sound(coverage_numbers[i].form, key, value))
            return load_refuse(reason, "%s.%s is out of range", name, key);
    }
    return 0;
}

/* A word of a list that is closed, or none. */
static bool is_known(struct json_object *table, const char *key, bool (*knows)(const char *text))
{
    struct json_object *value = json_object_object_get(table, key);
    if (value == NULL)
        return true;
    const char *text = json_object_get_string(value);
    return json_object_is_type(value, json_type_string) &&
           strlen(text) == (size_t)json_object_get_string_len(value) && knows(text);
}

static int check_words(struct json_object *table, struct load_reason *reason)
{
    if (!is_known(table, "witness", witness_level_is_known))
        return load_refuse(reason, "coverageT.witness is no level");
    if (!is_known(table, "witness_causes", witness_causes_are_known))
        return load_refuse(reason, "coverageT.witness_causes has what is no cause and its number");
    return 0;
}

/* A table of texts, numbers and nulls. */
static int check_table(struct json_object *table, const char *name, struct load_reason *reason)
{
    if (!json_object_is_type(table, json_type_object))
        return load_refuse(reason, "%s is not an object", name);
    json_object_object_foreach(table, key, value)
    {
        (void)key;
        enum json_type type = json_object_get_type(value);
        if (type == json_type_object || type == json_type_array ||
            (type == json_type_string && json_object_get_string_len(value) > RECORD_NAME_MAX_BYTES))
            return load_refuse(reason, "%s has a value of a wrong type or size", name);
    }
    return 0;
}

static int check_facts(struct json_object *facts, struct load_reason *reason)
{
    if (!json_object_is_type(facts, json_type_array))
        return load_refuse(reason, "coverageA is not an array");
    size_t count = json_object_array_length(facts);
    for (size_t i = 0; i < count; i++) {
        struct json_object *fact = json_object_array_get_idx(facts, i);
        int error = check_table(fact, "a fact of coverageA", reason);
        if (error != 0)
            return error;
        if (!json_object_is_type(json_object_object_get(fact, "outcome"), json_type_string) ||
            !json_object_is_type(json_object_object_get(fact, "tasks"), json_type_int))
            return load_refuse(reason, "coverageA[%zu] has no outcome or no tasks", i);
        error = check_numbers(fact, "coverageA", reason);
        if (error != 0)
            return error;
    }
    return 0;
}

static int read_coverage(struct reader *reader)
{
    struct coverage_record *coverage = &reader->record->coverage;
    coverage->job = json_object_object_get(reader->record->root, "coverageT");
    coverage->facts = json_object_object_get(reader->record->root, "coverageA");
    int error = check_table(coverage->job, "coverageT", reader->reason);
    if (error == 0)
        error = check_numbers(coverage->job, "coverageT", reader->reason);
    if (error == 0)
        error = check_words(coverage->job, reader->reason);
    if (error == 0)
        error = check_facts(coverage->facts, reader->reason);
    if (error != 0)
        return error;
    coverage->uuid = json_object_get_string(json_object_object_get(coverage->job, "uuid"));
    return uuid_is_text(coverage->uuid)
               ? 0
               : load_refuse(reader->reason, "coverageT.uuid is not a uuid");
}

static int read_library(struct reader *reader)
{
    struct library_record *library = &reader->record->library;
    int error = record_read_values(reader->record->root, &library_fields, library, reader->reason);
    if (error == 0 && (!uuid_is_text(library->uuid) || !uuid_is_text(library->event)))
        error = load_refuse(reader->reason, "libraryT.uuid or libraryT.event is not a uuid");
    if (error == 0 && (library->kind == NULL ||
                       (strcmp(library->kind, "change") != 0 && strcmp(library->kind, "use") != 0)))
        error = load_refuse(reader->reason, "libraryT.kind is neither change nor use");
    if (error == 0 && (library->what == NULL || library->library == NULL || library->path == NULL ||
                       !library->found.known))
        error = load_refuse(reader->reason, "libraryT does not say what, of which library or when");
    return error;
}

static int read_ranks(struct reader *reader)
{
    struct ranks_record *ranks = &reader->record->ranks;
    int error = record_read_values(reader->record->root, &ranks_fields, ranks, reader->reason);
    if (error == 0 && !uuid_is_text(ranks->uuid))
        error = load_refuse(reader->reason, "ranksT.uuid is not a uuid");
    if (error == 0 && (!ranks->job_id_raw.known || ranks->step_id == NULL || ranks->node == NULL ||
                       ranks->program == NULL || !ranks->end_time.known))
        error = load_refuse(reader->reason, "ranksT does not say of which step, where or when");
    if (error == 0 && !ranks_are_sound(ranks))
        error = load_refuse(reader->reason, "ranksT has counts that cannot be");
    return error;
}

static int read_profile(struct reader *reader)
{
    struct profile_record *profile = &reader->record->profile;
    int error = record_read_values(reader->record->root, &profile_fields, profile, reader->reason);
    if (error == 0 && !uuid_is_text(profile->uuid))
        error = load_refuse(reader->reason, "profileT.uuid is not a uuid");
    if (error == 0 && (!profile->job_id_raw.known || profile->step_id == NULL ||
                       profile->node == NULL || profile->path == NULL || !profile->end_time.known))
        error = load_refuse(reader->reason, "profileT does not say of which step, where or when");
    if (error == 0 && !profile_is_sound(profile))
        error = load_refuse(reader->reason, "profileT has numbers that cannot be");
    return error;
}

static const struct {
    const char *key; /* that no other kind has */
    int (*read)(struct reader *reader);
} kinds[] = {
    [RECORD_RUN] = {"userT", read_run},
    [RECORD_LINK] = {"resultT", read_link},
    [RECORD_PACKAGE] = {"xalt_run_uuid", read_package},
    [RECORD_COVERAGE] = {"coverageT", read_coverage},
    [RECORD_LIBRARY] = {"libraryT", read_library},
    [RECORD_RANKS] = {"ranksT", read_ranks},
    [RECORD_PROFILE] = {"profileT", read_profile},
};

/* No reader, whichever keys he looks for first, takes it for another kind or finds other values. */
static int check_kind(const struct reader *reader, enum record_kind kind)
{
    if (record_keys_are_mixed(&reader->keys))
        return load_refuse(reader->reason, "has keys of records of several kinds");
    if (reader->keys.twice)
        return load_refuse(reader->reason, "has a key twice");
    if (reader->named != RECORD_KINDS && reader->named != kind)
        return load_refuse(reader->reason, "is named %s and is %s", record_kind_name(reader->named),
                           record_kind_name(kind));
    return 0;
}

static int read_kind(struct reader *reader)
{
    enum record_kind kind = RECORD_RUN;
    while (kind < RECORD_KINDS &&
           !json_object_object_get_ex(reader->record->root, kinds[kind].key, NULL))
        kind++;
    if (kind == RECORD_KINDS)
        return load_refuse(reader->reason,
                           "is no run, link, package, coverage, library, ranks or profile record");
    int error = check_kind(reader, kind);
    if (error != 0)
        return error;
    reader->record->kind = kind;
    return kinds[kind].read(reader);
}

/* ---- Bytes ---------------------------------------------------------------------------------- */

/* No path or argument holds a NUL, and no C string could: U+FFFD stands for it. */
static void replace_escaped_nuls(char *json)
{
    for (char *at = strchr(json, '\\'); at != NULL; at = strchr(at, '\\')) {
        if (strncmp(at, "\\u0000", 6) == 0)
            memcpy(at, "\\ufffd", 6);
        at += at[1] == '\0' ? 1 : 2; /* the second of two backslashes starts no escape */
    }
}

/* Whether the record is a run with nothing but plain values, which are read then. */
static bool read_plain_run(struct reader *reader)
{
    return reader->is_plain && reader->top[RECORD_TOP_userT].size > 0 &&
           check_kind(reader, RECORD_RUN) == 0 &&
           record_plain_read(reader->top, &reader->record->run);
}

/* But lists, and what is passed by. */
static int parse_values(struct reader *reader)
{
    int error = 0;
    reader->record->root = json_object_new_object();
    if (reader->record->root == NULL)
        return -ENOMEM;
    for (enum record_top top = 0; error == 0 && top < RECORD_TOPS; top++)
        if (reader->top[top].size > 0 && readings[top] < LIST)
            error = parse_top(reader, top);
    return error;
}

/* Says why the text is no JSON object. */
static int explain(const char *text, size_t size, struct load_reason *reason)
{
    struct json_object *parsed = NULL;
    size_t bytes = 0;
    int error = json_parse(text, size, &parsed, &bytes, reason);
    json_object_put(parsed);
    return error != 0 ? error : load_refuse(reason, "is not one JSON object");
}

static int read_text(const char *text, size_t size, struct reader *reader)
{
    int error = read_members(text, size, reader);
    if (error == 0 && read_plain_run(reader)) {
        reader->record->kind = RECORD_RUN;
        return read_rest(reader);
    }
    if (error == 0)
        error = parse_values(reader);
    if (error == -EBADMSG)
        return explain(text, size, reader->reason);
    return error == 0 ? read_kind(reader) : error;
}

/* Bytes that are not UTF-8, which other writers may leave in, are mapped as in our own records.
 * What the parser would not read is put so that it does. */
static char *mapped(const char *bytes, size_t *size)
{
    char *text = text_from_bytes(bytes, *size, size);
    if (text != NULL)
        replace_escaped_nuls(text);
    if (text != NULL)
        *size = json_pairs_join(text, *size);
    return text;
}

static bool is_plain(const char *text, size_t size)
{
    return text_is_ascii(text, size) && strstr(text, "\\u0000") == NULL &&
           !json_pairs_are_misread(text, size);
}

int load_record(char *text, size_t size, enum record_kind named, struct id_cache *seen,
                struct record *out, struct load_reason *reason)
{
    struct record record = {0};
    struct reader reader = {
        .record = &record, .named = named, .seen = seen, .is_plain = true, .reason = reason};
    int error = record_crc_check(text, size, reason);
    if (error == 0 && memchr(text, '\0', size) != NULL)
        error = load_refuse(reason, "holds a NUL byte");
    if (error == 0) {
        record.text = is_plain(text, size) ? text : mapped(text, &size);
        record.size = size;
        error = record.text == NULL ? -ENOMEM : read_text(record.text, size, &reader);
    }
    if (error == 0) {
        if (record.text != text)
            free(text);
        *out = record;
        return 0;
    }
    load_record_text(&record);
    if (record.text == text)
        record.text = NULL;
    load_record_free(&record);
    return error;
}

size_t load_record_bytes(const struct record *record)
{
    size_t bytes = record->size + record->root_bytes;
    if (record->kind == RECORD_RUN)
        bytes += record->run.libs.bytes + record->run.environment.bytes +
                 record->run.ancestors.bytes + record->run.build.bytes +
                 (record->run.days.list == NULL
                      ? 0
                      : record->run.days.count * sizeof *record->run.days.list) +
                 run_routines_bytes(&record->run.routines);
    else if (record->kind == RECORD_LINK)
        bytes += record->link.libs.bytes + record->link.functions.bytes;
    return bytes;
}

const char *load_record_text(struct record *record)
{
    for (size_t i = 0; record->text != NULL && i < record->size; i++)
        if (record->text[i] == '\0')
            record->text[i] = '"';
    return record->text;
}

void load_record_free(struct record *record)
{
    if (record->kind == RECORD_RUN) {
        json_object_put(record->run.libs.value);
        json_object_put(record->run.environment.value);
        json_object_put(record->run.ancestors.value);
        json_object_put(record->run.build.value);
        run_days_free(&record->run.days);
        run_routines_free(&record->run.routines);
    } else if (record->kind == RECORD_LINK) {
        json_object_put(record->link.libs.value);
        json_object_put(record->link.functions.value);
    }
    json_object_put(record->root);
    free(record->libs_text);
    free(record->ancestors_text);
    free(record->pids_text);
    free(record->list_text);
    free(record->text);
}

void load_build(const struct record_part *part, struct build_record *build)
{
    struct load_reason ignored;
    *build = (struct build_record){0};
    for (size_t i = 0; i < build_fields.count; i++)
        record_read_value(part->value, &build_fields.field[i], build, &ignored);
}
