/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/record/profile_told.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <uuid/uuid.h>

#include "preload/profile/profile_file.h"
#include "submit/record/json_add.h"

/* Clocks of the journal and of the flush. */
#define SLACK_NS UINT64_C(60000000000)

bool profile_told_is_name(const char *name)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    size_t length = strnlen(name, PROFILE_TOLD_NAME);
    return length > 0 && length < PROFILE_TOLD_NAME && strspn(name, letters) == length;
}

static bool are_routines_sound(const struct profile_told *told)
{
    uint64_t ns = 0;
    for (size_t i = 0; i < told->routine_count; i++) {
        const struct profile_told_routine *routine = &told->routines[i];
        if (!profile_told_is_name(routine->name) || routine->calls > told->mpi_calls ||
            routine->ns > told->mpi_ns - ns || routine->open > told->mpi_ranks)
            return false;
        ns += routine->ns;
    }
    return true;
}

static bool is_sound(const struct profile_told *told)
{
    return told->ranks <= UINT32_MAX && told->mpi_ranks <= told->ranks &&
           told->size <= UINT32_MAX && told->outside_rank <= UINT32_MAX && told->is_untimed <= 1 &&
           told->is_open <= 1 && told->routine_count <= PROFILE_TOLD_ROUTINES &&
           told->mpi_calls <= INT64_MAX && told->missed <= UINT32_MAX && told->runs <= UINT32_MAX &&
           told->mpi_runs <= told->runs && told->run_ns <= INT64_MAX &&
           told->mpi_ns <= told->run_ns && told->outside_most_ns <= told->run_ns &&
           are_routines_sound(told);
}

bool profile_told_is_sound(const struct profile_told *told, size_t count)
{
    if (count == 0 || count > PROFILE_TOLD_PROGRAMS)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!is_sound(&told[i]) || told[i].programs != told->programs || told[i].programs < count ||
            told[i].programs > UINT32_MAX)
            return false;
        for (size_t before = 0; before < i; before++)
            if (told[before].program == told[i].program &&
                told[before].executable == told[i].executable)
                return false;
    }
    return true;
}

static uint64_t product(uint64_t a, uint64_t b)
{
    uint64_t result;
    return __builtin_mul_overflow(a, b, &result) ? UINT64_MAX : result;
}

/* How long the step can have lasted on this node, also where the clock was set meanwhile. */
static uint64_t longest(const struct journal *journal, const struct journal_step *step,
                        uint64_t now_ns)
{
    int64_t set_ns = journal->is_clock_known ? journal->clock_step_ns : 0;
    uint64_t back_ns = set_ns < 0 ? (uint64_t)0 - (uint64_t)set_ns : 0;
    uint64_t span_ns = now_ns > step->start_ns ? now_ns - step->start_ns : 0;
    return __builtin_add_overflow(span_ns, back_ns + SLACK_NS, &span_ns) ? UINT64_MAX : span_ns;
}

struct told_most told_most_of(const struct journal *journal, const struct journal_step *step,
                              uint64_t bytes, uint64_t now_ns)
{
    uint64_t threads = bytes / PROFILE_PAGE; /* each that calls has a chunk, of a page at least */
    return (struct told_most){.ranks = bytes / PROFILE_PROCESS_BYTES,
                              .run_ns = product(longest(journal, step, now_ns), threads)};
}

bool told_most_has_ranks(const struct told_most *most, const struct profile_told *told,
                         size_t count)
{
    uint64_t left = most->ranks;
    for (size_t i = 0; i < count; i++) {
        if (told[i].ranks > left)
            return false;
        left -= told[i].ranks;
    }
    return true;
}

bool told_most_cut(const struct told_most *most, struct profile_told *told)
{
    const uint64_t calls = told->is_untimed ? most->run_ns : told->run_ns;
    if (told->run_ns <= most->run_ns && told->mpi_calls <= calls)
        return false;
    told->mpi_ranks = told->mpi_calls = told->mpi_ns = told->run_ns = 0;
    told->outside_most_ns = told->outside_rank = told->routine_count = 0;
    told->missed = told->is_untimed = told->is_open = 0;
    return true;
}

/* ---- The record ------------------------------------------------------------------------------ */

enum { ROUTINE_TEXT = PROFILE_TOLD_NAME + 80, UUID_TEXT = 37, HASH_TEXT = 17 };

static void add_runs(struct json_object *table, const struct profile_told *told)
{
    char text[PROFILE_TOLD_RUNS * UUID_TEXT] = "";
    for (size_t i = 0; i < told->runs && i < PROFILE_TOLD_RUNS; i++) {
        uuid_unparse_lower(told->run[i], text + i * UUID_TEXT);
        if (i > 0)
            text[i * UUID_TEXT - 1] = ' ';
    }
    json_add_int(table, "runs", (int64_t)told->runs);
    json_add_int(table, "mpi_runs", (int64_t)told->mpi_runs);
    json_add_text(table, "run_uuids", text);
}

static void print_hash(uint64_t hash, char text[HASH_TEXT])
{
    text[0] = '\0';
    if (hash != 0)
        snprintf(text, HASH_TEXT, "%016llx", (unsigned long long)hash);
}

static void add_told(struct json_object *table, const struct profile_told *told)
{
    char program[HASH_TEXT], executable[HASH_TEXT];
    bool is_counted = told->mpi_ranks > 0;
    print_hash(told->program, program);
    print_hash(told->executable, executable);
    json_add_text(table, "program", program);
    json_add_text(table, "executable", executable);
    json_add_int(table, "programs", (int64_t)told->programs);
    add_runs(table, told);
    json_add_int(table, "mpi_size", (int64_t)told->size);
    json_add_int(table, "ranks", (int64_t)told->ranks);
    json_add_int(table, "mpi_ranks", (int64_t)told->mpi_ranks);
    json_add_int(table, "mpi_calls", (int64_t)told->mpi_calls);
    step_part_add_seconds(table, "mpi_time", (double)told->mpi_ns, is_counted);
    step_part_add_seconds(table, "mpi_elapsed", (double)told->run_ns, is_counted);
    step_part_add_seconds(table, "mpi_outside_max", (double)told->outside_most_ns, is_counted);
    if (is_counted)
        json_add_int(table, "mpi_outside_rank", (int64_t)told->outside_rank);
    else
        json_add(table, "mpi_outside_rank", NULL);
    json_add_int(table, "mpi_missed", (int64_t)told->missed);
    json_add(table, "mpi_untimed", json_object_new_boolean(told->is_untimed != 0));
    json_add(table, "mpi_open", json_object_new_boolean(told->is_open != 0));
    char text[PROFILE_TOLD_ROUTINES * ROUTINE_TEXT] = "";
    size_t length = 0;
    for (size_t i = 0; i < told->routine_count; i++) {
        const struct profile_told_routine *routine = &told->routines[i];
        char seconds[JSON_DECIMALS_SIZE];
        json_decimals((double)routine->ns / 1e9, 6, seconds);
        length +=
            (size_t)snprintf(text + length, sizeof text - length, "%s%s=%llu:%s:%llu",
                             i == 0 ? "" : " ", routine->name, (unsigned long long)routine->calls,
                             seconds, (unsigned long long)routine->open);
    }
    json_add_text(table, "mpi_routines", text);
}

int profile_record_build(const struct profile_source *source, struct built_record *record)
{
    static const struct profile_told nothing;
    char uuid[RECORD_UUID_SIZE], what[2 * HASH_TEXT] = "joined";
    const struct step_part *part = &source->part;
    bool is_joined = source->told == NULL;
    const struct profile_told *told = is_joined ? &nothing : source->told;
    if (!is_joined)
        snprintf(what, sizeof what, "%llx %llx", (unsigned long long)told->program,
                 (unsigned long long)told->executable);
    int error = step_part_uuid(part, "profile", what, uuid);
    if (error != 0)
        return error;
    struct json_object *object = record_start();
    if (object == NULL)
        return -ENOMEM;
    struct json_object *table = json_object_new_object();
    json_add_text(table, "uuid", uuid);
    step_part_add_job(table, part);
    step_part_add_step(table, part);
    json_add_bytes(table, "path",
                   (struct capture_bytes){.at = source->path, .size = strlen(source->path)});
    json_add_int(table, "bytes", (int64_t)source->bytes);
    step_part_add_seconds(table, "end_time", (double)source->made_ns, true);
    json_add(table, "joined", json_object_new_boolean(is_joined));
    add_told(table, told);
    json_add(object, "profileT", table);
    record_name(record, "profile", record_syshost(part->conf, part->identity->cluster),
                part->identity->user, part->step->start_ns, uuid);
    error = table == NULL ? -ENOMEM : record_finish(object, record);
    json_object_put(object);
    return error;
}
