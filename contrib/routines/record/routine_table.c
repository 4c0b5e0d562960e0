/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/record/run_record.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "submit/facts/bundle_path.h"
#include "submit/facts/file_facts.h"
#include "submit/record/json_add.h"

static int compare(const void *left, const void *right)
{
    const struct capture_routine *a = left, *b = right;
    if (a->is_missed != b->is_missed)
        return a->is_missed - b->is_missed;
    if (a->library != b->library)
        return a->library < b->library ? -1 : 1;
    size_t size = a->name.size < b->name.size ? a->name.size : b->name.size;
    int order = memcmp(a->name.at, b->name.at, size);
    return order != 0 ? order : (a->name.size > b->name.size) - (a->name.size < b->name.size);
}

/* Adds another entry of the same routine. A time that is unknown may have been the first one. */
static void join(struct capture_routine *all, const struct capture_routine *other)
{
    bool has_room = other->calls <= INT64_MAX && all->calls <= INT64_MAX - other->calls;
    if (other->first_ns < all->first_ns)
        all->first_ns = other->first_ns;
    all->is_at_least |= other->is_at_least || !has_room;
    all->calls = has_room ? all->calls + other->calls : INT64_MAX;
}

/* Seconds since the Epoch, or null. */
static struct json_object *first_call(uint64_t first_ns)
{
    char text[JSON_DECIMALS_SIZE];
    double seconds = json_seconds(first_ns);
    json_exact(seconds, text);
    return first_ns == 0 ? NULL : json_object_new_double_s(seconds, text);
}

/* [library, name], and of one that was called first, calls, at_least */
static struct json_object *entry(const struct capture_routine *routine, bool is_counted)
{
    struct json_object *array = json_object_new_array();
    json_object_array_add(array, json_object_new_int((int32_t)routine->library));
    json_object_array_add(array, json_bytes(routine->name));
    if (routine->is_missed)
        return array;
    json_object_array_add(array, first_call(routine->first_ns));
    json_object_array_add(array,
                          is_counted ? json_object_new_int64((int64_t)routine->calls) : NULL);
    json_object_array_add(array, json_object_new_boolean(routine->is_at_least));
    return array;
}

/* Each is there once. They are sorted. */
static struct json_object *entries(const struct capture *capture, int is_missed)
{
    struct json_object *array = json_object_new_array();
    const struct capture_routine *routine = capture->routines;
    size_t count = capture->routine_count;
    for (size_t i = 0, next; i < count; i = next) {
        struct capture_routine all = {.library = routine[i].library,
                                      .name = routine[i].name,
                                      .first_ns = UINT64_MAX,
                                      .is_missed = is_missed};
        for (next = i; next < count && compare(&routine[i], &routine[next]) == 0; next++)
            join(&all, &routine[next]);
        if (routine[i].is_missed == is_missed)
            json_object_array_add(array, entry(&all, capture->routines_counted));
    }
    return array;
}

/* The real path, as libA has it; of an archive that was linked in, its name. */
static struct json_object *library_path(struct capture_bytes as_loaded)
{
    char path[PATH_MAX], room[PATH_MAX];
    if (as_loaded.size == 0 || as_loaded.at[0] != '/')
        return json_bytes(as_loaded);
    copy_bytes(as_loaded, path, sizeof path);
    const struct file_facts *facts = file_facts(path);
    return json_bytes(bundle_path(facts == NULL ? as_loaded : text_bytes(facts->real), room));
}

/* [path, build-id or "0"] */
static struct json_object *libraries(const struct capture *capture)
{
    struct json_object *array = json_object_new_array();
    for (size_t i = 0; i < capture->routine_library_count; i++) {
        const struct capture_library *library = &capture->routine_libraries[i];
        struct json_object *pair = json_object_new_array();
        json_object_array_add(pair, library_path(library->path));
        json_object_array_add(pair, json_build_id(library->build_id));
        json_object_array_add(array, pair);
    }
    return array;
}

struct json_object *routine_table(const struct capture *capture)
{
    if (!capture->has_routines ||
        (capture->routine_library_count == 0 && capture->routines_missed == 0))
        return NULL;
    struct json_object *table = json_object_new_object();
    qsort(capture->routines, capture->routine_count, sizeof *capture->routines, compare);
    json_add(table, "libraryA", libraries(capture));
    json_add(table, "routineA", entries(capture, 0));
    json_add(table, "missedA", entries(capture, 1));
    json_add_int(table, "watched", capture->routines_watched);
    json_add_int(table, "missed", (int64_t)capture->routines_missed);
    json_add(table, "counted", json_object_new_boolean(capture->routines_counted));
    return table;
}
