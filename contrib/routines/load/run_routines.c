/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/routines/load/run_routines.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "submit/load/parse/load_part.h"

enum {
    PATH_MAX_BYTES = 65535, /* as of all texts of records */
    BUILD_ID_MAX_BYTES = 255,
    NAME_MAX_BYTES =
        3 * 255, /* of 255 bytes, each of which may be written as three (jobtrail-record(5)) */
    ENTRY_VALUES = 5
};

#define TIME_MAX_S  1e11 /* as of all numbers of records */
#define CALLS_PER_S 1e11 /* a hundred processors that do nothing else */
/* How far the clock of first calls may be from that of starts and ends: a tick, and what the node's
 * was set by. */
#define SLACK_S 1.0

/* The text; NULL: it is none, or has no bytes or more than `most`. */
static const char *bounded_text(struct json_object *value, int most)
{
    int size = json_object_get_string_len(value);
    if (!json_object_is_type(value, json_type_string) || size == 0 || size > most)
        return NULL;
    return json_object_get_string(value);
}

/* A whole number that is not negative and not more than `most`. */
static bool take_whole(struct json_object *value, int64_t most, int64_t *whole)
{
    *whole = json_object_get_int64(value);
    return json_object_is_type(value, json_type_int) && *whole >= 0 && *whole <= most;
}

/* A time since the Epoch, or null. */
static bool take_time(struct json_object *value, double *when)
{
    *when = value == NULL ? 0 : json_object_get_double(value);
    bool is_number =
        json_object_is_type(value, json_type_double) || json_object_is_type(value, json_type_int);
    return value == NULL || (is_number && *when > 0 && *when <= TIME_MAX_S);
}

static bool is_array_of(struct json_object *value, size_t count)
{
    return json_object_is_type(value, json_type_array) && json_object_array_length(value) == count;
}

/* [path, build-id] */
static bool read_library(struct json_object *pair, struct routine_library *library)
{
    if (!is_array_of(pair, 2))
        return false;
    library->path = bounded_text(json_object_array_get_idx(pair, 0), PATH_MAX_BYTES);
    library->build_id = bounded_text(json_object_array_get_idx(pair, 1), BUILD_ID_MAX_BYTES);
    return library->path != NULL && library->build_id != NULL;
}

/* [number in libraryA, name, first call or null, calls or null, whether there may be more] */
static bool read_called(struct json_object *entry, size_t libraries, struct called_routine *called)
{
    int64_t library;
    if (libraries == 0 || !is_array_of(entry, ENTRY_VALUES))
        return false;
    struct json_object *calls = json_object_array_get_idx(entry, 3);
    struct json_object *at_least = json_object_array_get_idx(entry, 4);
    called->calls = -1;
    called->name = bounded_text(json_object_array_get_idx(entry, 1), NAME_MAX_BYTES);
    called->is_at_least = json_object_get_boolean(at_least);
    if (!take_whole(json_object_array_get_idx(entry, 0), (int64_t)libraries - 1, &library))
        return false;
    called->library = (uint32_t)library;
    return called->name != NULL &&
           take_time(json_object_array_get_idx(entry, 2), &called->first_call) &&
           (calls == NULL || take_whole(calls, INT64_MAX, &called->calls)) &&
           json_object_is_type(at_least, json_type_boolean);
}

/* The array under `key`, of at the most `most` elements; NULL: there is none. */
static int find_array(struct json_object *table, const char *key, size_t most,
                      struct json_object **array, struct load_reason *reason)
{
    *array = json_object_object_get(table, key);
    if (*array == NULL)
        return 0;
    if (!json_object_is_type(*array, json_type_array))
        return load_refuse(reason, "routineT.%s is not an array", key);
    if (json_object_array_length(*array) > most)
        return load_refuse(reason, "routineT.%s has more than %zu entries", key, most);
    return 0;
}

static int read_libraries(struct run_routines *routines, struct load_reason *reason)
{
    struct json_object *array;
    int error = find_array(routines->value, "libraryA", RUN_ROUTINE_LIBRARIES_MAX, &array, reason);
    if (error != 0 || array == NULL)
        return error;
    size_t count = json_object_array_length(array);
    routines->libraries = calloc(count + 1, sizeof *routines->libraries);
    if (routines->libraries == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        if (!read_library(json_object_array_get_idx(array, i), &routines->libraries[i]))
            return load_refuse(reason, "routineT.libraryA[%zu] is not a path and a build-id", i);
    routines->library_count = count;
    return 0;
}

static int read_all_called(struct run_routines *routines, struct load_reason *reason)
{
    struct json_object *array;
    int error = find_array(routines->value, "routineA", RUN_ROUTINES_MAX, &array, reason);
    if (error != 0 || array == NULL)
        return error;
    size_t count = json_object_array_length(array);
    routines->called = calloc(count + 1, sizeof *routines->called);
    if (routines->called == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        if (!read_called(json_object_array_get_idx(array, i), routines->library_count,
                         &routines->called[i]))
            return load_refuse(reason, "routineT.routineA[%zu] is not a routine of a library", i);
    routines->count = count;
    return 0;
}

static int read_number(struct run_routines *routines, const char *key, int64_t *number,
                       struct load_reason *reason)
{
    struct json_object *value = json_object_object_get(routines->value, key);
    if (value == NULL || take_whole(value, INT64_MAX, number))
        return 0;
    return load_refuse(reason, "routineT.%s is not a number that can be", key);
}

/* The lists are freed with the run, after a failure too. */
static int read_lists(struct run_routines *routines, struct load_reason *reason)
{
    if (!json_object_is_type(routines->value, json_type_object))
        return load_refuse(reason, "routineT is not an object");
    int error = read_libraries(routines, reason);
    if (error == 0)
        error = read_all_called(routines, reason);
    if (error == 0)
        error = read_number(routines, "watched", &routines->watched, reason);
    return error == 0 ? read_number(routines, "missed", &routines->missed, reason) : error;
}

/* Until when a run ran at the latest; without its end, when its record was written. */
static double latest_end(const struct run_record *run)
{
    if (!run->end_time.known)
        return run->record_epoch.known ? run->record_epoch.value : HUGE_VAL;
    bool has_later = run->end_time_max.known && run->end_time_max.value > run->end_time.value;
    return has_later ? run->end_time_max.value : run->end_time.value;
}

/* Times of first calls outside of the run are a claim that nobody else is to be counted by: they
 * become unknown; and so do numbers of calls for which the run had no time. */
static void bound_calls(struct run_routines *routines, const struct run_record *run)
{
    const double start = run->start_time.known ? run->start_time.value : 0, end = latest_end(run);
    const double slack = SLACK_S + (run->clock_step.known ? fabs(run->clock_step.value) : 0);
    const double calls_max = ((end > start ? end - start : 0) + slack) * CALLS_PER_S;
    for (size_t i = 0; i < routines->count; i++) {
        struct called_routine *called = &routines->called[i];
        if (called->first_call < start - slack || called->first_call > end + slack)
            called->first_call = 0;
        if ((double)called->calls > calls_max)
            called->calls = -1;
    }
}

static int load_routines(struct record_reader *reader, struct run_record *run)
{
    struct json_object *value = NULL;
    int error = record_parse(reader, reader->top[RECORD_TOP_routineT], &value);
    if (error != 0)
        return error;
    run->routines = calloc(1, sizeof *run->routines);
    if (run->routines == NULL) {
        json_object_put(value);
        return -ENOMEM;
    }
    run->routines->value = value;
    error = read_lists(run->routines, reader->reason);
    if (error == 0)
        bound_calls(run->routines, run);
    return error;
}

static size_t routines_bytes(const struct run_record *run)
{
    const struct run_routines *routines = run->routines;
    return routines == NULL ? 0
                            : routines->library_count * sizeof *routines->libraries +
                                  routines->count * sizeof *routines->called;
}

static void free_routines(struct run_record *run)
{
    if (run->routines == NULL)
        return;
    json_object_put(run->routines->value);
    free(run->routines->libraries);
    free(run->routines->called);
    free(run->routines);
}

const struct load_part load_part_routines = {
    .read_run = load_routines,
    .run_bytes = routines_bytes,
    .free_run = free_routines,
};
