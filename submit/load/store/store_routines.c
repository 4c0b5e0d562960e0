/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <stdlib.h>

#include "conf/base/cleanup.h"
#include "conf/base/grow.h"
#include "submit/load/store/store_state.h"

/* The tables whose rows are of one run. */
static const struct {
    const char *name, *columns; /* the run's id is the first column */
    size_t count;
} tables[ROUTINE_TABLES] = {
    [ROUTINE_WATCHES] = {"run_routine_watch", "run_id, watched, missed", 3},
    [ROUTINE_LIBRARIES] = {"run_routine_library", "run_id, routine_library_id", 2},
    [ROUTINE_CALLS] = {"run_routine", "run_id, routine_id, first_call, calls, is_at_least", 5},
};

int store_prepare_routines(struct store_routines *routines, struct store_intern *intern)
{
    int error = 0;
    routines->on = intern->on;
    routines->intern = intern;
    for (enum routine_table table = 0; table < ROUTINE_TABLES; table++) {
        struct store_text drop = {0}, add = {0};
        store_text_add(&drop, "DELETE FROM %s WHERE run_id = ?", tables[table].name);
        store_text_add(&add, "INSERT INTO %s (%s) VALUES (", tables[table].name,
                       tables[table].columns);
        store_text_add_places(&add, tables[table].count);
        store_text_add(&add, ")");
        routines->drop[table] = store_text_statement(routines->on, &drop, &error);
        routines->add[table] = store_text_statement(routines->on, &add, &error);
    }
    return error;
}

void store_forget_routines(struct store_routines *routines)
{
    for (enum routine_table table = 0; table < ROUTINE_TABLES; table++)
        routines->rows[table].count = 0;
    routines->dropped.count = 0;
}

void store_free_routines(struct store_routines *routines)
{
    for (enum routine_table table = 0; table < ROUTINE_TABLES; table++)
        free(routines->rows[table].values);
    free(routines->dropped.values);
}

/* ---- What runs share ------------------------------------------------------------------------ */

static int digest_library(struct store_routines *routines, const struct routine_library *library,
                          struct digest *digest)
{
    const char *const texts[] = {library->path, library->build_id};
    return store_digest_texts(routines->on, texts, 2, digest);
}

static int digest_routine(struct store_routines *routines, const struct run_routines *of,
                          const struct called_routine *called, struct digest *digest)
{
    const struct routine_library *library = &of->libraries[called->library];
    const char *const texts[] = {library->path, library->build_id, called->name};
    return store_digest_texts(routines->on, texts, 3, digest);
}

int store_want_routine_libraries(struct store_routines *routines, const struct run_routines *of)
{
    int error = 0;
    for (size_t i = 0; error >= 0 && i < of->library_count; i++) {
        const struct routine_library *library = &of->libraries[i];
        struct digest digest;
        const struct value rest[] = {
            value_text(library->path), value_text(library->build_id),
            value_id(store_module_of(routines->intern->prefixes, library->path))};
        error = digest_library(routines, library, &digest);
        if (error == 0)
            error = store_want(routines->intern, TABLE_ROUTINE_LIBRARY, &digest, rest);
    }
    return error < 0 ? error : 0;
}

/* Sets `ids` to those of the run's libraries. */
static int library_ids(struct store_routines *routines, const struct run_routines *of, int64_t *ids)
{
    int error = 0;
    for (size_t i = 0; error == 0 && i < of->library_count; i++) {
        struct digest digest;
        error = digest_library(routines, &of->libraries[i], &digest);
        ids[i] = error == 0 ? store_id(routines->intern, TABLE_ROUTINE_LIBRARY, &digest) : 0;
        if (error == 0 && ids[i] == 0)
            error = store_refuse(routines->on, -ENOMEM, "out of memory");
    }
    return error;
}

int store_want_routines(struct store_routines *routines, const struct run_routines *of)
{
    int64_t ids[RUN_ROUTINE_LIBRARIES_MAX];
    int error = library_ids(routines, of, ids);
    for (size_t i = 0; error >= 0 && i < of->count; i++) {
        const struct called_routine *called = &of->called[i];
        const struct value rest[] = {value_int(ids[called->library]), value_text(called->name)};
        struct digest digest;
        error = digest_routine(routines, of, called, &digest);
        if (error == 0)
            error = store_want(routines->intern, TABLE_ROUTINE, &digest, rest);
    }
    return error < 0 ? error : 0;
}

/* ---- Rows of a run -------------------------------------------------------------------------- */

int store_drop_routines(struct store_routines *routines, const struct value *runs, size_t count)
{
    int error = 0;
    for (enum routine_table table = 0; error == 0 && count > 0 && table < ROUTINE_TABLES; table++)
        error = store_write(routines->on, routines->drop[table], runs, count);
    return error;
}

/* Room for a row of `columns` values; NULL when out of memory. */
static struct value *new_row(struct store_routines *routines, struct routine_rows *rows,
                             size_t columns)
{
    if (GROW_TO(rows->values, rows->room, (rows->count + 1) * columns) != 0) {
        store_refuse(routines->on, -ENOMEM, "out of memory");
        return NULL;
    }
    return rows->values + rows->count++ * columns;
}

int store_replace_routines(struct store_routines *routines, int64_t run)
{
    struct value *row = new_row(routines, &routines->dropped, 1);
    if (row == NULL)
        return -ENOMEM;
    *row = value_int(run);
    return 0;
}

/* A called routine with its id. */
struct own_routine {
    int64_t id;
    struct called_routine called;
};

static int compare_ids(const void *left, const void *right)
{
    const int64_t one = *(const int64_t *)left, other = *(const int64_t *)right;
    return one < other ? -1 : one > other;
}

/* A library that was loaded twice has its routines twice: a call is in one of both. */
static void join(struct called_routine *all, const struct called_routine *other)
{
    bool is_known = all->first_call > 0 && other->first_call > 0;
    bool is_counted = all->calls >= 0 && other->calls >= 0;
    bool has_room = is_counted && all->calls <= INT64_MAX - other->calls;
    if (!is_known || other->first_call < all->first_call)
        all->first_call = is_known ? other->first_call : 0;
    all->is_at_least |= other->is_at_least || !has_room;
    all->calls = !is_counted ? -1 : has_room ? all->calls + other->calls : INT64_MAX;
}

static void fill_row(struct value *row, int64_t run, const struct own_routine *own,
                     bool may_have_more)
{
    static const struct value none = {.kind = VALUE_NULL};
    const struct called_routine *called = &own->called;
    const bool is_counted = called->calls >= 0;
    row[0] = value_int(run);
    row[1] = value_int(own->id);
    row[2] = called->first_call > 0 ? (struct value){.kind = VALUE_REAL, .real = called->first_call}
                                    : none;
    row[3] = is_counted ? value_int(called->calls) : none;
    row[4] = is_counted ? value_int(called->is_at_least || may_have_more) : none;
}

/* With their ids, in order, each once. Sets `*count` to how many are left. */
static int list_own(struct store_routines *routines, const struct run_routines *of,
                    struct own_routine *list, size_t *count)
{
    int error = 0;
    *count = 0;
    for (size_t i = 0; error == 0 && i < of->count; i++) {
        struct digest digest;
        error = digest_routine(routines, of, &of->called[i], &digest);
        list[i] =
            (struct own_routine){store_id(routines->intern, TABLE_ROUTINE, &digest), of->called[i]};
        if (error == 0 && list[i].id == 0)
            error = store_refuse(routines->on, -ENOMEM, "out of memory");
    }
    if (error != 0)
        return error;
    qsort(list, of->count, sizeof *list, compare_ids);
    for (size_t i = 0; i < of->count; i++) {
        if (*count > 0 && list[*count - 1].id == list[i].id)
            join(&list[*count - 1].called, &list[i].called);
        else
            list[(*count)++] = list[i];
    }
    return 0;
}

static struct value *new_row_of(struct store_routines *routines, enum routine_table table)
{
    return new_row(routines, &routines->rows[table], tables[table].count);
}

static int put_called(struct store_routines *routines, int64_t run, const struct run_routines *of,
                      bool may_have_more)
{
    size_t count = 0;
    CLEANUP_FREE struct own_routine *list = calloc(of->count + 1, sizeof *list);
    if (list == NULL)
        return store_refuse(routines->on, -ENOMEM, "out of memory");
    int error = list_own(routines, of, list, &count);
    for (size_t i = 0; error == 0 && i < count; i++) {
        struct value *row = new_row_of(routines, ROUTINE_CALLS);
        if (row == NULL)
            return -ENOMEM;
        fill_row(row, run, &list[i], may_have_more);
    }
    return error;
}

static int put_libraries(struct store_routines *routines, int64_t run,
                         const struct run_routines *of)
{
    int64_t ids[RUN_ROUTINE_LIBRARIES_MAX];
    int error = library_ids(routines, of, ids);
    if (error != 0)
        return error;
    qsort(ids, of->library_count, sizeof *ids, compare_ids);
    for (size_t i = 0; i < of->library_count; i++) {
        if (i > 0 && ids[i] == ids[i - 1])
            continue;
        struct value *row = new_row_of(routines, ROUTINE_LIBRARIES);
        if (row == NULL)
            return -ENOMEM;
        row[0] = value_int(run);
        row[1] = value_int(ids[i]);
    }
    return 0;
}

int store_put_routines(struct store_routines *routines, int64_t run, const struct run_routines *of,
                       bool is_start_only)
{
    struct value *row = new_row_of(routines, ROUTINE_WATCHES);
    if (row == NULL)
        return -ENOMEM;
    row[0] = value_int(run);
    row[1] = value_int(of->watched);
    row[2] = value_int(of->missed);
    int error = put_libraries(routines, run, of);
    return error == 0 ? put_called(routines, run, of, is_start_only || of->missed > 0) : error;
}

int store_settle_routines(struct store_routines *routines)
{
    int error = store_drop_routines(routines, routines->dropped.values, routines->dropped.count);
    for (enum routine_table table = 0; error == 0 && table < ROUTINE_TABLES; table++)
        if (routines->rows[table].count > 0)
            error = store_write(routines->on, routines->add[table], routines->rows[table].values,
                                routines->rows[table].count);
    store_forget_routines(routines);
    return error;
}
