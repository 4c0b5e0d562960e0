/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "submit/load/store/known_rows.h"
#include "submit/load/store/record_owner.h"
#include "submit/load/store/store_state.h"

#define ASK_AT_ONCE 256 /* uuids */

/* The columns of `run_own` that are no fields of a record, in the order of fill_row(). */
static const char *const other_columns[] = {
    "owner",          "proven",       "is_start_only", "date",      "cmdline",
    "ancestor_pids",  "program_id",   "job_part_id",   "layout_id", "ending_id",
    "environment_id", "ancestors_id", "core_day",
};
#define OTHER_COLUMNS (sizeof other_columns / sizeof other_columns[0])

static size_t column_count(void)
{
    return OTHER_COLUMNS + run_fields.count;
}

static enum table table_of_part(size_t part, size_t at)
{
    return (enum table)(TABLES_OF_CORE + part * PART_TABLES + at);
}

/* ---- Statements ----------------------------------------------------------------------------- */

/* Each column followed by `after`, with commas between. */
static void add_columns(struct store_text *sql, const char *after)
{
    for (size_t i = 0; i < column_count(); i++)
        store_text_add(sql, "%s%s%s", i == 0 ? "" : ", ",
                       i < OTHER_COLUMNS ? other_columns[i]
                                         : run_fields.field[i - OTHER_COLUMNS].column,
                       after);
}

/* Another loader may have come between: what is proven, and what has ended, stays. */
enum { UPDATE_KEYS = 5 };

int store_prepare_runs(struct store_runs *runs, struct store_parts *parts)
{
    struct store_text find = {0}, add = {0}, update = {0}, ids = {0};
    int error = 0;
    runs->on = parts->on;
    runs->intern = parts->intern;
    runs->parts = parts;
    store_text_add(&find, "SELECT uuid, owner, is_start_only, proven FROM run_own WHERE uuid IN (");
    store_text_add_places(&find, ASK_AT_ONCE);
    store_text_add(&find, ")");
    store_text_add(&add, "INSERT INTO run_own (");
    add_columns(&add, "");
    store_text_add(&add, ") VALUES (");
    store_text_add_places(&add, column_count());
    store_text_add(&add, ")");
    store_text_add(&update, "UPDATE run_own SET ");
    add_columns(&update, " = ?");
    store_text_add(&update, " WHERE uuid = ? AND owner = ?"
                            " AND (proven < ? OR (proven = ? AND is_start_only >= ?))");
    store_text_add(&ids, "SELECT id, uuid, owner, proven, 0");
    for (size_t i = 0; run_parts[i] != NULL; i++)
        store_text_add(&ids, " + (SELECT count(*) FROM %s WHERE run_id = run_own.id)",
                       run_parts[i]->rows);
    store_text_add(&ids, " FROM run_own WHERE uuid IN (");
    store_text_add_places(&ids, ASK_AT_ONCE);
    store_text_add(&ids, ")");
    runs->find_ids = store_text_statement(runs->on, &ids, &error);
    runs->drop_days = store_statement(runs->on, "DELETE FROM run_day WHERE run_id = ?", &error);
    runs->add_day = store_statement(
        runs->on, "INSERT INTO run_day (run_id, day, core_seconds) VALUES (?, ?, ?)", &error);
    runs->is_ours = store_statement(
        runs->on,
        "SELECT count(*) FROM run_own JOIN job_part ON job_part.id = run_own.job_part_id"
        " WHERE uuid = ? AND proven >= ? AND job_part.user = ? AND job_part.job_id = ?",
        &error);
    runs->find = store_text_statement(runs->on, &find, &error);
    runs->add = store_text_statement(runs->on, &add, &error);
    runs->update = store_text_statement(runs->on, &update, &error);
    for (size_t i = 0; error == 0 && run_parts[i] != NULL; i++)
        error = run_parts[i]->prepare(runs->intern, table_of_part(i, 0), &runs->of_part[i]);
    return error;
}

/* ---- What is known of a run ----------------------------------------------------------------- */

static int note_known(struct store_runs *runs, struct known_rows *known, const struct digest *key,
                      const struct known_row *row)
{
    int error = known_rows_add(known, key, row);
    return error == 0 ? 0 : store_refuse(runs->on, error, "out of memory");
}

static int ask_some(struct store_runs *runs, const struct value *uuids, struct known_rows *known)
{
    struct value row[4];
    int more, error = store_select(runs->on, runs->find, uuids);
    while (error == 0 && (more = store_next(runs->on, runs->find, row, 4)) != 0) {
        const struct known_row found = {.owner = value_whole(&row[1]),
                                        .is_start_only = value_whole(&row[2]) != 0,
                                        .is_proven = value_whole(&row[3]) != 0};
        error = more < 0 ? more : 0;
        if (error != 0 || row[0].kind != VALUE_TEXT || row[0].size != KNOWN_UUID_SIZE)
            continue;
        const struct digest key = known_rows_key(row[0].text);
        error = note_known(runs, known, &key, &found);
    }
    return error;
}

static int ask_all(struct store_runs *runs, const struct record *records, size_t count,
                   struct known_rows *known)
{
    struct value uuids[ASK_AT_ONCE];
    int error = 0;
    for (size_t at = 0; error == 0 && at < count;) {
        size_t asked = 0;
        for (; asked < ASK_AT_ONCE && at < count; at++) {
            if (records[at].kind != RECORD_RUN)
                continue;
            const struct digest key = known_rows_key(records[at].run.uuid);
            if (known_rows_ask(known, &key))
                uuids[asked++] = value_text(records[at].run.uuid);
        }
        for (size_t i = asked; i < ASK_AT_ONCE; i++)
            uuids[i] = (struct value){.kind = VALUE_NULL};
        if (asked > 0)
            error = ask_some(runs, uuids, known);
    }
    return error;
}

/* ---- The runs of a batch -------------------------------------------------------------------- */

/* A run that is to be written, and the digests of what it shares. */
struct new_run {
    struct run_record *run;
    int64_t owner;
    bool is_update, is_proven;
    bool replaces; /* an end that is stored, and its days */
    struct digest executable, program, job_part, layout, ending;
    int64_t id;     /* once it is written; 0: not asked for, or another record has the row */
    bool has_parts; /* which the record that had the row before has left */
};

struct run_batch {
    struct new_run *list; /* owned, in the order of their uuids */
    size_t count;
    struct value *rows; /* owned */
};

/* Of runs in the order in which they were read: the first that has a part has it parsed. */
static int want_parts(struct store_runs *runs, struct run_record *run)
{
    int error = store_want_part(runs->parts, PART_LIBS, &run->libs,
                                run->syshost == NULL ? "" : run->syshost);
    if (error == 0)
        error = store_want_part(runs->parts, PART_ENVIRONMENT, &run->environment, NULL);
    if (error == 0)
        error = store_want_part(runs->parts, PART_ANCESTORS, &run->ancestors, NULL);
    return error == 0 ? store_want_part(runs->parts, PART_BUILD, &run->build, NULL) : error;
}

static int want_rows(struct store_runs *runs, struct new_run *fresh)
{
    struct run_record *run = fresh->run;
    record_date(run->start_time, run->date);
    int error =
        store_want_executable(runs->intern, run->exec_path, run->hash_id, &fresh->executable);
    if (error >= 0)
        error = store_want_fields(runs->intern, TABLE_JOB_PART, NULL, 0, run, &fresh->job_part);
    if (error >= 0)
        error = store_want_fields(runs->intern, TABLE_LAYOUT, NULL, 0, run, &fresh->layout);
    if (error >= 0)
        error = store_want_fields(runs->intern, TABLE_ENDING, NULL, 0, run, &fresh->ending);
    return error < 0 ? error : 0;
}

/* Whether the record says more than the row, which is the same owner's: one that is proven whatever
 * one that is not said, and an end what a start did. */
static bool says_more(const struct new_run *fresh, const struct known_row *row)
{
    if (fresh->is_proven != row->is_proven)
        return fresh->is_proven;
    return row->is_start_only && !fresh->run->is_start_only;
}

/* Takes the record's place in the row, or leaves the record. */
static enum store_result choose_update(struct store_runs *runs, struct known_rows *known,
                                       const struct digest *key, struct new_run *fresh,
                                       struct known_row *row)
{
    if (!says_more(fresh, row)) {
        bool is_end = row->is_start_only && !fresh->run->is_start_only;
        return is_end ? STORE_UNPROVEN : STORE_UNCHANGED;
    }
    fresh->replaces = !row->is_start_only;
    runs->on->replaces |= fresh->replaces;
    row->is_start_only = fresh->run->is_start_only;
    if (fresh->is_proven)
        known_rows_prove(known, key, row);
    fresh->is_update = true;
    runs->batch->list[runs->batch->count++] = *fresh;
    return STORE_UPDATED;
}

/* Whether a row of XALT's database is of a run that is there as another owner's, since only
 * jobtrail's own records say all of whose they are. */
static int is_there_already(struct store_runs *runs, const struct record *record)
{
    const struct run_record *run = &record->run;
    const struct value key[] = {value_text(run->uuid), value_int(!record->unproven),
                                value_text(run->user), value_text(run->job_id)};
    int64_t count = 0;
    int error = store_ask(runs->on, runs->is_ours, key, &count, 1);
    return error < 0 ? error : count > 0;
}

static int choose_run(struct store_runs *runs, struct run_batch *batch, struct known_rows *known,
                      struct record *record, enum store_result *result)
{
    struct run_record *run = &record->run;
    struct new_run fresh = {
        .run = run, .is_proven = !record->unproven, .owner = record_owner_of_run(run)};
    const struct digest key = known_rows_key(run->uuid);
    struct known_row *row = known_rows_find(known, &key, fresh.owner);
    if (row != NULL) {
        *result = choose_update(runs, known, &key, &fresh, row);
        return 0;
    }
    const int64_t unproven = known_rows_unproven(known, &key);
    if (!fresh.is_proven && unproven >= STORE_CLAIMS) {
        *result = STORE_CROWDED;
        return 0;
    }
    const int is_known = record->is_history && unproven >= 0 ? is_there_already(runs, record) : 0;
    if (is_known != 0) {
        *result = STORE_UNCHANGED;
        return is_known < 0 ? is_known : 0;
    }
    *result = unproven >= 0 ? STORE_CONFLICT : STORE_NEW;
    batch->list[batch->count++] = fresh;
    const struct known_row added = {
        .owner = fresh.owner, .is_start_only = run->is_start_only, .is_proven = fresh.is_proven};
    return note_known(runs, known, &key, &added);
}

/* By time, where uuids are of version 7: neighbours in the indexes come together. */
static int compare_runs(const void *left, const void *right)
{
    const struct new_run *one = left, *other = right;
    int order = strcmp(one->run->uuid, other->run->uuid);
    return order != 0 ? order : (one->is_update ? 1 : 0) - (other->is_update ? 1 : 0);
}

int store_want_runs(struct store_runs *runs, struct record *records, size_t count,
                    enum store_result *results)
{
    struct known_rows known = {0};
    struct run_batch *batch = calloc(1, sizeof *batch);
    runs->batch = batch;
    if (batch != NULL)
        batch->list = calloc(count, sizeof *batch->list);
    int error = batch == NULL || batch->list == NULL
                    ? store_refuse(runs->on, -ENOMEM, "out of memory")
                    : ask_all(runs, records, count, &known);
    for (size_t i = 0; error == 0 && i < count; i++)
        if (records[i].kind == RECORD_RUN)
            error = choose_run(runs, batch, &known, &records[i], &results[i]);
    known_rows_free(&known);
    for (size_t i = 0; error == 0 && i < batch->count; i++)
        error = want_parts(runs, batch->list[i].run);
    if (error == 0)
        qsort(batch->list, batch->count, sizeof *batch->list, compare_runs);
    for (size_t i = 0; error == 0 && i < batch->count; i++)
        error = want_rows(runs, &batch->list[i]);
    return error;
}

void store_free_runs(struct store_runs *runs)
{
    for (size_t i = 0; run_parts[i] != NULL; i++)
        if (runs->of_part[i] != NULL)
            run_parts[i]->forget(runs->of_part[i]);
    if (runs->batch != NULL) {
        free(runs->batch->list);
        free(runs->batch->rows);
    }
    free(runs->batch);
    runs->batch = NULL;
}

void store_close_runs(struct store_runs *runs)
{
    store_free_runs(runs);
    for (size_t i = 0; run_parts[i] != NULL; i++)
        if (runs->of_part[i] != NULL)
            run_parts[i]->free(runs->of_part[i]);
}

/* ---- Rows ----------------------------------------------------------------------------------- */

static int want_program(struct store_runs *runs, struct new_run *fresh)
{
    int64_t ids[3] = {0};
    if (fresh->run->exec_path != NULL)
        ids[0] = store_id(runs->intern, TABLE_EXECUTABLE, &fresh->executable);
    int error = store_part_id(runs->parts, &fresh->run->libs, &ids[1]);
    if (error == 0)
        error = store_part_id(runs->parts, &fresh->run->build, &ids[2]);
    return error == 0
               ? store_want_fields(runs->intern, TABLE_PROGRAM, ids, 3, fresh->run, &fresh->program)
               : error;
}

static int fill_row(struct store_runs *runs, const struct new_run *fresh, struct value *row)
{
    const struct run_record *run = fresh->run;
    int64_t environment, ancestors;
    int error = store_part_id(runs->parts, &run->environment, &environment);
    if (error == 0)
        error = store_part_id(runs->parts, &run->ancestors, &ancestors);
    if (error != 0)
        return error;
    const struct value own[OTHER_COLUMNS] = {
        value_int(fresh->owner),
        value_int(fresh->is_proven),
        value_int(run->is_start_only),
        value_text(run->date[0] == '\0' ? NULL : run->date),
        value_text(run->cmdline),
        value_text(run->ancestor_pids),
        value_id(store_id(runs->intern, TABLE_PROGRAM, &fresh->program)),
        value_id(store_id(runs->intern, TABLE_JOB_PART, &fresh->job_part)),
        value_id(store_id(runs->intern, TABLE_LAYOUT, &fresh->layout)),
        value_id(store_id(runs->intern, TABLE_ENDING, &fresh->ending)),
        value_id(environment),
        value_id(ancestors),
        run->days.count == 1 ? value_int(run->days.first.day) : (struct value){.kind = VALUE_NULL},
    };
    memcpy(row, own, sizeof own);
    for (size_t i = 0; i < run_fields.count; i++)
        row[OTHER_COLUMNS + i] = store_value(&run_fields.field[i], run);
    return 0;
}

/* Those to be added, or those to be updated: after the values of each stand those that find it. */
static int write_runs(struct store_runs *runs, struct run_batch *batch, bool updates)
{
    const size_t columns = column_count() + (updates ? UPDATE_KEYS : 0);
    size_t filled = 0;
    int error = 0;
    for (size_t i = 0; error == 0 && i < batch->count; i++) {
        const struct new_run *fresh = &batch->list[i];
        if (fresh->is_update != updates)
            continue;
        struct value *row = batch->rows + filled++ * columns;
        error = fill_row(runs, fresh, row);
        if (updates)
            memcpy(row + column_count(),
                   (struct value[UPDATE_KEYS]){value_text(fresh->run->uuid),
                                               value_int(fresh->owner), value_int(fresh->is_proven),
                                               value_int(fresh->is_proven),
                                               value_int(fresh->run->is_start_only)},
                   UPDATE_KEYS * sizeof *row);
    }
    if (error != 0 || filled == 0)
        return error;
    return store_write(runs->on, updates ? runs->update : runs->add, batch->rows, filled);
}

/* Of one that crossed a midnight, or that takes the place of one that may have. */
static int put_days(struct store_runs *runs, const struct new_run *fresh, struct value run)
{
    const struct run_days *days = &fresh->run->days;
    if (days->count < 2 && !fresh->replaces)
        return 0;
    int error = store_write(runs->on, runs->drop_days, &run, 1);
    for (size_t i = 0; error == 0 && days->list != NULL && i < days->count; i++) {
        const struct value row[] = {run,
                                    value_int(days->list[i].day),
                                    {.kind = VALUE_REAL, .real = days->list[i].core_seconds}};
        error = store_write(runs->on, runs->add_day, row, 1);
    }
    return error;
}

static bool has_own_rows(const struct new_run *fresh)
{
    bool has = fresh->run->days.count > 1 || fresh->is_update;
    for (size_t i = 0; !has && run_parts[i] != NULL; i++)
        has = run_parts[i]->has(fresh->run);
    return has;
}

/* Whether the next record of the batch has taken the row's place already. */
static bool is_replaced(const struct run_batch *batch, size_t at)
{
    const struct new_run *fresh = &batch->list[at], *next = fresh + 1;
    return at + 1 < batch->count && strcmp(fresh->run->uuid, next->run->uuid) == 0 &&
           fresh->owner == next->owner && fresh->is_proven == next->is_proven;
}

/* A row that another record has taken meanwhile has another `proven`, and is left. */
static void note_id(struct run_batch *batch, const struct value row[5])
{
    size_t at = 0, end = batch->count;
    while (at < end) {
        size_t middle = at + (end - at) / 2;
        if (strncmp(batch->list[middle].run->uuid, row[1].text, row[1].size) < 0)
            at = middle + 1;
        else
            end = middle;
    }
    for (; at < batch->count; at++) {
        struct new_run *fresh = &batch->list[at];
        if (strncmp(fresh->run->uuid, row[1].text, row[1].size) != 0)
            return;
        if (fresh->owner == value_whole(&row[2]) &&
            fresh->is_proven == (value_whole(&row[3]) != 0)) {
            fresh->id = value_whole(&row[0]);
            fresh->has_parts = value_whole(&row[4]) > 0;
        }
    }
}

static int find_some_ids(struct store_runs *runs, const struct value *uuids)
{
    struct value row[5];
    int more, error = store_select(runs->on, runs->find_ids, uuids);
    while (error == 0 && (more = store_next(runs->on, runs->find_ids, row, 5)) != 0) {
        error = more < 0 ? more : 0;
        if (error == 0 && row[1].kind == VALUE_TEXT && row[1].size == KNOWN_UUID_SIZE)
            note_id(runs->batch, row);
    }
    return error;
}

static int find_ids(struct store_runs *runs)
{
    const struct run_batch *batch = runs->batch;
    struct value uuids[ASK_AT_ONCE];
    int error = 0;
    for (size_t at = 0; error == 0 && at < batch->count;) {
        size_t asked = 0;
        for (; asked < ASK_AT_ONCE && at < batch->count; at++)
            if (has_own_rows(&batch->list[at]) && !is_replaced(batch, at))
                uuids[asked++] = value_text(batch->list[at].run->uuid);
        for (size_t i = asked; i < ASK_AT_ONCE; i++)
            uuids[i] = (struct value){.kind = VALUE_NULL};
        if (asked > 0)
            error = find_some_ids(runs, uuids);
    }
    return error;
}

/* The rows of other tables that are the run's alone. What took the place of a start has nothing of
 * that one. */
static int put_own_rows(struct store_runs *runs, const struct new_run *fresh)
{
    int error = put_days(runs, fresh, value_int(fresh->id));
    for (size_t i = 0; error == 0 && run_parts[i] != NULL; i++) {
        if (fresh->has_parts)
            error = run_parts[i]->replace(runs->of_part[i], fresh->id);
        if (error == 0 && run_parts[i]->has(fresh->run))
            error = run_parts[i]->put(runs->of_part[i], fresh->id, fresh->run);
    }
    return error;
}

/* Those that are there, and of new ones as many as a user may add. */
static int settle_shared(struct store_runs *runs, const struct run_part *part, void *of_part,
                         enum table table)
{
    struct run_batch *batch = runs->batch;
    int error = 0;
    for (size_t i = 0; error == 0 && i < batch->count; i++)
        if (part->has(batch->list[i].run))
            error = part->want(of_part, table, batch->list[i].run);
    if (error == 0)
        error = store_find_wanted(runs->intern, table);
    if (error != 0 || store_take_back(runs->intern, table) == 0)
        return error;
    for (size_t i = 0; error == 0 && i < batch->count; i++)
        if (part->has(batch->list[i].run))
            error = part->admit(of_part, table, batch->list[i].run, batch->list[i].is_proven);
    return error == 0 ? store_add_wanted(runs->intern, table) : error;
}

/* Programs, and what extensions keep: their rows need the ids of others. */
static int settle_rows(struct store_runs *runs)
{
    struct run_batch *batch = runs->batch;
    int error = 0;
    for (size_t i = 0; error >= 0 && i < batch->count; i++)
        error = want_program(runs, &batch->list[i]);
    if (error >= 0)
        error = store_settle(runs->intern, TABLE_PROGRAM);
    for (size_t i = 0; run_parts[i] != NULL; i++)
        for (size_t at = 0; error == 0 && at < PART_TABLES; at++)
            if (run_parts[i]->shared[at].name != NULL)
                error = settle_shared(runs, run_parts[i], runs->of_part[i], table_of_part(i, at));
    return error;
}

int store_put_runs(struct store_runs *runs)
{
    struct run_batch *batch = runs->batch;
    if (batch->count == 0)
        return 0;
    batch->rows = calloc(batch->count, (column_count() + UPDATE_KEYS) * sizeof *batch->rows);
    int error = batch->rows == NULL ? store_refuse(runs->on, -ENOMEM, "out of memory") : 0;
    if (error == 0)
        error = settle_rows(runs);
    if (error == 0)
        error = write_runs(runs, batch, false);
    if (error == 0)
        error = write_runs(runs, batch, true);
    if (error == 0)
        error = find_ids(runs);
    for (size_t i = 0; error == 0 && i < batch->count; i++)
        if (batch->list[i].id != 0 && has_own_rows(&batch->list[i]) && !is_replaced(batch, i))
            error = put_own_rows(runs, &batch->list[i]);
    for (size_t i = 0; error == 0 && run_parts[i] != NULL; i++)
        error = run_parts[i]->settle(runs->of_part[i]);
    return error;
}
