/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/parse/record_reader.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/days.h"
#include "conf/base/grow.h"
#include "submit/load/parse/load_part.h"
#include "submit/load/parse/record_plain.h"
#include "submit/load/parse/record_values.h"

#define MAX_DIGITS 18

/* As a key only: within a string its quotes would be escaped. */
static const char pid_key[] = "\"pid\":";

/* What is read and what is written, which may be one longer for each percent sign. */
struct split {
    const char *from, *end;
    char *start, *to;
    char *pids, *pids_to;
    const char *job; /* digits; NULL when not known */
};

static void take_digits(struct split *split, size_t digits)
{
    bool is_job = split->job != NULL && strlen(split->job) == digits &&
                  memcmp(split->job, split->from, digits) == 0;
    size_t size = strlen(pid_key);
    bool is_pid = digits <= MAX_DIGITS && split->to - split->start >= (ptrdiff_t)size &&
                  memcmp(split->to - size, pid_key, size) == 0;
    if (is_pid) {
        bool is_first = split->pids_to == split->pids;
        *split->pids_to++ = is_first ? '[' : ',';
        split->pids_to = (char *)memcpy(split->pids_to, split->from, digits) + digits;
        *split->to++ = '0';
    } else if (is_job)
        split->to = (char *)memcpy(split->to, "%j", 2) + 2;
    else
        split->to = (char *)memcpy(split->to, split->from, digits) + digits;
    split->from += digits;
}

static void split_all(struct split *split)
{
    while (split->from < split->end) {
        size_t digits = 0;
        while (split->from + digits < split->end && split->from[digits] >= '0' &&
               split->from[digits] <= '9')
            digits++;
        if (digits > 0) {
            take_digits(split, digits);
            continue;
        }
        if (*split->from == '%')
            *split->to++ = '%';
        *split->to++ = *split->from++;
    }
    *split->to = '\0';
}

/* Room for a percent sign before each, and for two characters in the place of a digit; what goes to
 * the pids had a longer key before it. */
int ancestor_pids_split(struct json_slice slice, const char *job, char **text, char **pids)
{
    struct split split = {.from = slice.at, .end = slice.at + slice.size, .job = job};
    *text = split.start = split.to = malloc(2 * slice.size + 1);
    *pids = split.pids = split.pids_to = malloc(slice.size + 2);
    if (*text == NULL || *pids == NULL)
        return -ENOMEM;
    split_all(&split);
    if (split.pids_to == split.pids) {
        free(*pids);
        *pids = NULL;
        return 0;
    }
    memcpy(split.pids_to, "]", 2);
    return 0;
}

#define DATE_SIZE        10    /* YYYY-MM-DD */
#define DAYS_MAX         36525 /* a hundred years */
#define MAX_CORE_SECONDS 1e11  /* as of all numbers of records */

static const char wrong_days[] = "slurmT.core_days is not an array of dates and core seconds";

/* Takes `token` from the text. */
static bool take_token(struct json_slice *text, const char *token)
{
    size_t size = strlen(token);
    if (text->size < size || memcmp(text->at, token, size) != 0)
        return false;
    text->at += size;
    text->size -= size;
    return true;
}

/* days_parse(), for records of which many are of one day. */
static int parse_date(const char date[DATE_SIZE], int32_t *day)
{
    static _Thread_local char last[DAYS_TEXT_SIZE];
    static _Thread_local int32_t last_day;
    if (memcmp(date, last, DATE_SIZE) != 0) {
        char text[DAYS_TEXT_SIZE] = "";
        memcpy(text, date, DATE_SIZE);
        if (days_parse(text, &last_day) != 0)
            return -EINVAL;
        memcpy(last, text, sizeof last);
    }
    *day = last_day;
    return 0;
}

/* Takes ["YYYY-MM-DD",SECONDS] from the text. */
static bool take_pair(struct json_slice *text, struct run_day *day)
{
    char *end;
    if (!take_token(text, "[\"") || text->size <= DATE_SIZE || parse_date(text->at, &day->day) != 0)
        return false;
    text->at += DATE_SIZE;
    text->size -= DATE_SIZE;
    if (!take_token(text, "\","))
        return false;
    day->core_seconds = strtod(text->at, &end);
    size_t size = (size_t)(end - text->at);
    if (size == 0 || size > text->size)
        return false;
    text->at = end;
    text->size -= size;
    return day->core_seconds >= 0 && day->core_seconds <= MAX_CORE_SECONDS && take_token(text, "]");
}

static int add_day(struct run_days *days, const struct run_day *day)
{
    if (days->count == 0)
        days->first = *day;
    if (days->count == 1) {
        int error = GROW(days->list, 0);
        if (error != 0)
            return error;
        days->list[0] = days->first;
    }
    if (days->count > 0) {
        int error = GROW(days->list, days->count);
        if (error != 0)
            return error;
        days->list[days->count] = *day;
    }
    days->count++;
    days->sum += day->core_seconds;
    return 0;
}

/* Adds what the array of pairs of a date and core seconds at `text` has, behind whose end stands a
 * NUL somewhere. The days ascend. Returns 0; -EBADMSG and `*reason`; or -ENOMEM. */
static int read_pairs(struct json_slice text, struct run_days *days, struct load_reason *reason)
{
    if (!take_token(&text, "["))
        return load_refuse(reason, "%s", wrong_days);
    while (!take_token(&text, "]")) {
        struct run_day day;
        if ((days->count > 0 && !take_token(&text, ",")) || !take_pair(&text, &day))
            return load_refuse(reason, "%s", wrong_days);
        const struct run_day *last =
            days->list == NULL ? &days->first : days->list + days->count - 1;
        if (days->count > 0 && day.day <= last->day)
            return load_refuse(reason, "slurmT.core_days does not ascend");
        if (days->count == DAYS_MAX)
            return load_refuse(reason, "slurmT.core_days has more than %d days", DAYS_MAX);
        int error = add_day(days, &day);
        if (error != 0)
            return error;
    }
    return text.size == 0 ? 0 : load_refuse(reason, "%s", wrong_days);
}

void run_days_free(struct run_days *days)
{
    free(days->list);
    *days = (struct run_days){0};
}

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
        error = read_pairs(run->core_days, &run->days, reader->reason);
    return error == 0 ? check_days(run, reader->reason) : error;
}

static int read_of_extensions(struct record_reader *reader, struct run_record *run)
{
    int error = 0;
    for (size_t i = 0; error == 0 && i < LOAD_EXTENSIONS; i++) {
        const struct load_extension *of = &load_extensions[i];
        if (of->kind != RECORD_RUN || reader->top[of->key].size == 0)
            continue;
        if (of->part == NULL)
            run->unread |= 1u << i;
        else
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
