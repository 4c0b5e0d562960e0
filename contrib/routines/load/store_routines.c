/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What runs called of designated libraries, in the store: rows of a run, which go and come
 * together.
 */
#include "contrib/routines/load/store_routines.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "conf/base/cleanup.h"
#include "conf/base/grow.h"
#include "contrib/routines/load/run_routines.h"
#include "submit/load/store/store_state.h"

#define DAY_SECONDS 86400

enum routine_table { ROUTINE_WATCHES, ROUTINE_LIBRARIES, ROUTINE_CALLS, ROUTINE_TABLES };

struct routine_rows {
    struct value *values; /* owned */
    size_t count, room;   /* of rows; of values */
};

struct store_routines {
    struct store_connection *on;
    struct store_intern *intern;
    enum table library_table, routine_table; /* of what runs share */
    struct statement *drop[ROUTINE_TABLES], *add[ROUTINE_TABLES];
    struct statement *of_day, *of_library, *note;      /* new names */
    struct routine_rows rows[ROUTINE_TABLES], dropped; /* of the batch at hand */
};

struct routine_maker {
    const char *user;
    bool is_proven;
};

/* The tables whose rows are of one run. */
static const struct {
    const char *name, *columns; /* the run's id is the first column */
    size_t count;
} tables[ROUTINE_TABLES] = {
    [ROUTINE_WATCHES] = {"run_routine_watch", "run_id, watched, missed, unnamed", 4},
    [ROUTINE_LIBRARIES] = {"run_routine_library", "run_id, routine_library_id", 2},
    [ROUTINE_CALLS] = {"run_routine", "run_id, routine_id, first_call, calls, is_at_least", 5},
};

static int prepare(struct store_intern *intern, enum table first, void **state)
{
    struct store_routines *routines = calloc(1, sizeof *routines);
    int error = 0;
    *state = routines;
    if (routines == NULL)
        return store_refuse(intern->on, -ENOMEM, "out of memory");
    routines->on = intern->on;
    routines->intern = intern;
    routines->library_table = first;
    routines->routine_table = first + 1;
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
    routines->of_day = store_statement(
        routines->on,
        "SELECT coalesce(sum(names), 0) FROM routine_maker WHERE user = ? AND day = ?", &error);
    routines->of_library = store_statement(routines->on,
                                           "SELECT coalesce(sum(names), 0) FROM routine_maker "
                                           "WHERE user = ? AND routine_library_id = ?",
                                           &error);
    routines->note = store_statement(
        routines->on,
        "INSERT INTO routine_maker (user, day, routine_library_id, names) VALUES (?, ?, ?, ?)",
        &error);
    return error;
}

static void forget(void *state)
{
    struct store_routines *routines = state;
    for (enum routine_table table = 0; table < ROUTINE_TABLES; table++)
        routines->rows[table].count = 0;
    routines->dropped.count = 0;
}

static void free_all(void *state)
{
    struct store_routines *routines = state;
    for (enum routine_table table = 0; table < ROUTINE_TABLES; table++)
        free(routines->rows[table].values);
    free(routines->dropped.values);
    free(routines);
}

/* ---- What runs share ------------------------------------------------------------------------ */

static void digest_library(const struct routine_library *library, struct digest *digest)
{
    const char *const texts[] = {library->path, library->build_id};
    digest_texts(texts, 2, digest);
}

static void digest_routine(const struct run_routines *of, const struct called_routine *called,
                           struct digest *digest)
{
    const struct routine_library *library = &of->libraries[called->library];
    const char *const texts[] = {library->path, library->build_id, called->name};
    digest_texts(texts, 3, digest);
}

static int want_library(struct store_routines *routines, const struct routine_library *library,
                        const struct digest *digest)
{
    const struct value rest[] = {
        value_text(library->path), value_text(library->build_id),
        value_id(store_module_of(routines->intern->prefixes, library->path))};
    return store_want(routines->intern, routines->library_table, digest, rest);
}

static int want_routine(struct store_routines *routines, const struct called_routine *called,
                        int64_t library, const struct digest *digest)
{
    const struct value rest[] = {value_int(library), value_text(called->name)};
    return store_want(routines->intern, routines->routine_table, digest, rest);
}

static int want_libraries(struct store_routines *routines, struct run_routines *of)
{
    int error = 0;
    of->unnamed = 0;
    for (size_t i = 0; error >= 0 && i < of->library_count; i++) {
        struct digest digest;
        of->libraries[i].is_left_out = false;
        digest_library(&of->libraries[i], &digest);
        error = want_library(routines, &of->libraries[i], &digest);
    }
    return error < 0 ? error : 0;
}

/* Sets `ids` to those of the run's libraries; 0: it is left out. */
static int library_ids(struct store_routines *routines, const struct run_routines *of, int64_t *ids)
{
    for (size_t i = 0; i < of->library_count; i++) {
        struct digest digest;
        digest_library(&of->libraries[i], &digest);
        ids[i] = store_id(routines->intern, routines->library_table, &digest);
        if (ids[i] == 0 && !of->libraries[i].is_left_out)
            return store_refuse(routines->on, -ENOMEM, "out of memory");
    }
    return 0;
}

static void leave_out(struct run_routines *of, struct called_routine *called)
{
    called->is_left_out = true;
    of->unnamed++;
}

static int want_routines(struct store_routines *routines, struct run_routines *of)
{
    int64_t ids[RUN_ROUTINE_LIBRARIES_MAX];
    int error = library_ids(routines, of, ids);
    of->unnamed = 0;
    for (size_t i = 0; error >= 0 && i < of->count; i++) {
        struct called_routine *called = &of->called[i];
        struct digest digest;
        called->is_left_out = false;
        if (of->libraries[called->library].is_left_out) {
            leave_out(of, called);
            continue;
        }
        digest_routine(of, called, &digest);
        error = want_routine(routines, called, ids[called->library], &digest);
    }
    return error < 0 ? error : 0;
}

/* ---- How many new names a user may bring ---------------------------------------------------- */

#define OF_ALL_LIBRARIES 0 /* in place of a library's id: names of libraries */

struct names_left {
    struct routine_maker maker;
    int64_t day;
    int64_t of_day, of_library[RUN_ROUTINE_LIBRARIES_MAX], added[RUN_ROUTINE_LIBRARIES_MAX];
};

static struct value maker_value(struct routine_maker maker)
{
    return value_text(!maker.is_proven ? "?" : maker.user == NULL ? "" : maker.user);
}

static int ask_left(struct store_routines *routines, struct routine_maker maker,
                    struct statement *statement, int64_t of, int64_t limit, int64_t *left)
{
    const struct value key[] = {maker_value(maker), value_int(of)};
    int64_t names = 0;
    int found = store_ask(routines->on, statement, key, &names, 1);
    limit *= maker.is_proven ? 1 : ROUTINE_NAMES_UNPROVEN;
    *left = names < limit ? limit - names : 0;
    return found < 0 ? found : 0;
}

static int ask_day(struct store_routines *routines, struct names_left *names)
{
    names->day = (int64_t)time(NULL) / DAY_SECONDS;
    return ask_left(routines, names->maker, routines->of_day, names->day, ROUTINE_NAMES_A_DAY,
                    &names->of_day);
}

static int note_added(struct store_routines *routines, const struct names_left *names,
                      int64_t library, int64_t added)
{
    const struct value row[] = {maker_value(names->maker), value_int(names->day),
                                value_int(library), value_int(added)};
    return added == 0 ? 0 : store_write(routines->on, routines->note, row, 1);
}

static int admit_libraries(struct store_routines *routines, struct run_routines *of,
                           struct routine_maker maker)
{
    struct names_left names = {.maker = maker};
    int64_t added = 0;
    int error = of->library_count == 0 ? 0 : ask_day(routines, &names);
    for (size_t i = 0; error >= 0 && i < of->library_count; i++) {
        struct routine_library *library = &of->libraries[i];
        struct digest digest;
        digest_library(library, &digest);
        if (store_is_known(routines->intern, routines->library_table, &digest))
            continue;
        library->is_left_out = added == names.of_day;
        if (!library->is_left_out) {
            error = want_library(routines, library, &digest);
            added++;
        }
    }
    return error < 0 ? error : note_added(routines, &names, OF_ALL_LIBRARIES, added);
}

/* Whether the maker may add another to the library of that place; 1 if so, 0 if not, -errno. */
static int may_add(struct store_routines *routines, struct names_left *names, uint32_t at,
                   int64_t library)
{
    int error = 0;
    if (names->of_library[at] < 0) /* not asked for yet */
        error = ask_left(routines, names->maker, routines->of_library, library,
                         ROUTINE_NAMES_A_LIBRARY, &names->of_library[at]);
    return error != 0 ? error : names->of_day > 0 && names->of_library[at] > 0;
}

static int admit_called(struct store_routines *routines, struct run_routines *of,
                        struct names_left *names, const int64_t *ids)
{
    int error = 0;
    for (size_t i = 0; error >= 0 && i < of->count; i++) {
        struct called_routine *called = &of->called[i];
        const uint32_t at = called->library;
        struct digest digest;
        digest_routine(of, called, &digest);
        if (called->is_left_out ||
            store_is_known(routines->intern, routines->routine_table, &digest))
            continue;
        error = may_add(routines, names, at, ids[at]);
        if (error == 0)
            leave_out(of, called);
        if (error <= 0)
            continue;
        error = want_routine(routines, called, ids[at], &digest);
        names->of_day--;
        names->of_library[at]--;
        names->added[at]++;
    }
    return error < 0 ? error : 0;
}

static int admit_routines(struct store_routines *routines, struct run_routines *of,
                          struct routine_maker maker)
{
    struct names_left names = {.maker = maker};
    int64_t ids[RUN_ROUTINE_LIBRARIES_MAX];
    if (of->count == 0)
        return 0;
    for (size_t i = 0; i < of->library_count; i++)
        names.of_library[i] = -1;
    int error = library_ids(routines, of, ids);
    if (error == 0)
        error = ask_day(routines, &names);
    if (error == 0)
        error = admit_called(routines, of, &names, ids);
    for (size_t i = 0; error == 0 && i < of->library_count; i++)
        error = note_added(routines, &names, ids[i], names.added[i]);
    return error;
}

/* ---- Rows of a run -------------------------------------------------------------------------- */

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

static int replace(void *state, int64_t run)
{
    struct store_routines *routines = state;
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
    size_t listed = 0;
    for (size_t i = 0; error == 0 && i < of->count; i++) {
        struct digest digest;
        if (of->called[i].is_left_out)
            continue;
        digest_routine(of, &of->called[i], &digest);
        list[listed] = (struct own_routine){
            store_id(routines->intern, routines->routine_table, &digest), of->called[i]};
        if (list[listed++].id == 0)
            error = store_refuse(routines->on, -ENOMEM, "out of memory");
    }
    if (error != 0)
        return error;
    qsort(list, listed, sizeof *list, compare_ids);
    for (size_t i = 0; i < listed; i++) {
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
        if (ids[i] == 0 || (i > 0 && ids[i] == ids[i - 1]))
            continue;
        struct value *row = new_row_of(routines, ROUTINE_LIBRARIES);
        if (row == NULL)
            return -ENOMEM;
        row[0] = value_int(run);
        row[1] = value_int(ids[i]);
    }
    return 0;
}

static int put(void *state, int64_t id, const struct run_record *run)
{
    struct store_routines *routines = state;
    const struct run_routines *of = run->routines;
    struct value *row = new_row_of(routines, ROUTINE_WATCHES);
    if (row == NULL)
        return -ENOMEM;
    row[0] = value_int(id);
    row[1] = value_int(of->watched);
    row[2] = value_int(of->missed);
    row[3] = value_int(of->unnamed);
    int error = put_libraries(routines, id, of);
    return error == 0 ? put_called(routines, id, of, run->is_start_only || of->missed > 0) : error;
}

static int settle(void *state)
{
    struct store_routines *routines = state;
    const struct routine_rows *dropped = &routines->dropped;
    int error = 0;
    for (enum routine_table table = 0; error == 0 && dropped->count > 0 && table < ROUTINE_TABLES;
         table++)
        error = store_write(routines->on, routines->drop[table], dropped->values, dropped->count);
    for (enum routine_table table = 0; error == 0 && table < ROUTINE_TABLES; table++)
        if (routines->rows[table].count > 0)
            error = store_write(routines->on, routines->add[table], routines->rows[table].values,
                                routines->rows[table].count);
    forget(routines);
    return error;
}

/* ---- Which part of a run it is -------------------------------------------------------------- */

static bool has(const struct run_record *run)
{
    return run->routines != NULL;
}

static int want(void *state, enum table table, struct run_record *run)
{
    struct store_routines *routines = state;
    int error = (table == routines->library_table ? want_libraries : want_routines)(routines,
                                                                                    run->routines);
    run->without_room = run->routines->unnamed;
    return error;
}

static int admit(void *state, enum table table, struct run_record *run, bool is_proven)
{
    struct store_routines *routines = state;
    const struct routine_maker maker = {run->user, is_proven};
    int error = (table == routines->library_table ? admit_libraries
                                                  : admit_routines)(routines, run->routines, maker);
    run->without_room = run->routines->unnamed;
    return error;
}

const struct run_part run_part_routines = {
    .rows = "run_routine_watch",
    .no_room = "calls of routines are stored without the name: these users' runs have brought too "
               "many new names",
    .shared = {{"routine_library", "identity", ", path, build_id, module_id", NULL},
               {"routine", "identity", ", routine_library_id, name", NULL}},
    .prepare = prepare,
    .has = has,
    .want = want,
    .admit = admit,
    .replace = replace,
    .put = put,
    .settle = settle,
    .forget = forget,
    .free = free_all,
};
