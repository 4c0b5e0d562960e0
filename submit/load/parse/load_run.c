/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/parse/record_reader.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "submit/load/parse/ancestor_pids.h"
#include "submit/load/parse/load_part.h"
#include "submit/load/parse/record_plain.h"
#include "submit/load/parse/record_values.h"

#define DAY_S   86400.0
#define LEADS_S (366 * DAY_S)

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

/* The objects with their build-ids: the part is the text of an object of both. */
static int read_libs(struct record_reader *reader, struct run_record *run)
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
    return record_read_part(reader, &run->libs, PART_LIBS, RECORD_TOP_libA, run->syshost);
}

static int read_ancestors(struct record_reader *reader, struct run_record *run)
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
    return record_read_part(reader, &run->ancestors, PART_ANCESTORS, RECORD_TOP_ptA, NULL);
}

/* An empty watermark is none. */
static int read_build(struct record_reader *reader, struct run_record *run)
{
    struct json_members members;
    struct json_slice key, value, text = reader->top[RECORD_TOP_xaltLinkT];
    if (text.size == 0 || !json_members_open(&members, text.at, text.size) ||
        json_members_next(&members, &key, &value) != JSON_MEMBER)
        return 0;
    return record_read_part(reader, &run->build, PART_BUILD, RECORD_TOP_xaltLinkT, NULL);
}

/* Of the tree of values; without one the array has been found in the text. */
static int find_days(const struct record_reader *reader, struct run_record *run)
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

static int read_days(struct record_reader *reader, struct run_record *run)
{
    int error = find_days(reader, run);
    if (error == 0 && run->core_days.size > 0)
        error = run_days_read(run->core_days, &run->days, reader->reason);
    return error == 0 ? check_days(run, reader->reason) : error;
}

static int read_of_extensions(struct record_reader *reader, struct run_record *run)
{
    int error = 0;
    for (size_t i = 0; error == 0 && i < LOAD_EXTENSIONS; i++) {
        const struct load_extension *of = &load_extensions[i];
        if (of->kind != RECORD_RUN || reader->top[of->key].size == 0)
            continue;
        run->lacks_routines = of->part == NULL;
        if (of->part != NULL)
            error = of->part->read_run(reader, run);
    }
    return error;
}

int load_run_rest(struct record_reader *reader)
{
    struct record *record = reader->record;
    struct run_record *run = &record->run;
    int error = record_check_uuid((char *)(uintptr_t)run->uuid, "userT.run_uuid", reader->reason);
    if (error == 0)
        error = record_read_array(reader, RECORD_TOP_cmdlineA, &run->cmdline);
    if (error == 0)
        error = read_libs(reader, run);
    if (error == 0)
        error =
            record_read_part(reader, &run->environment, PART_ENVIRONMENT, RECORD_TOP_envT, NULL);
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
        error = read_of_extensions(reader, run);
    if (run->start_time.known) /* else nothing says when the run was */
        run->record_epoch.known = false;
    return error;
}

int load_run(struct record_reader *reader)
{
    int error = record_read_values(reader->record->root, &all_run_fields, &reader->record->run,
                                   reader->reason);
    return error == 0 ? load_run_rest(reader) : error;
}
