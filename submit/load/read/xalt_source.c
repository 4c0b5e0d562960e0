/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/read/xalt_source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "submit/load/store/store_state.h"

/* In one query: of rows, of which each text may have 64 KiB, and of lists. */
#define ROWS_AT_ONCE    200
#define MEMBERS_AT_ONCE 1000

#define LIST_COLUMNS 4
#define SQL_BYTES    4096

/* How long a run without an end may still get one, and how many rows may appear late. */
#define OPEN_DAYS "32"
#define LATE_ROWS "10000"

/* A query that goes on after the last row that it gave. */
struct cursor {
    struct statement *statement;
    struct value row[XALT_COLUMNS_MAX]; /* the last one */
    size_t columns, at_once;
    int64_t after[2]; /* the numbers in that row, or before the first one */
    size_t got;       /* rows of the query at hand */
    unsigned epoch;   /* of the source, when it was asked; 0: not yet */
    bool is_held;     /* the last row has not been used */
    bool is_done;     /* there are no more */
    bool is_list;
};

struct xalt_source {
    const struct database_ops *ops;
    struct database *database;
    char columns[8192];                   /* TABLE.COLUMN of each, with line feeds around */
    struct statement *index_of, *uuid_of; /* `uuid_of`: of the table's rows */
    unsigned epoch;                       /* counts what may have dropped the queries at hand */
    const struct xalt_table *table;
    struct cursor rows, lists[XALT_LISTS];
    char error[256]; /* when it is ours; else the database's is told */
};

/* ---- Questions ------------------------------------------------------------------------------ */

static int refuse(struct xalt_source *source, int error, const char *text)
{
    snprintf(source->error, sizeof source->error, "%s", text);
    return error;
}

const char *xalt_source_error(const struct xalt_source *source)
{
    if (source == NULL)
        return "out of memory";
    return source->error[0] != '\0' ? source->error : source->ops->error(source->database);
}

struct question {
    struct xalt_source *source;
    struct statement *statement;
    const struct value *parameters;
};

static int ask_once(void *context)
{
    const struct question *question = context;
    struct xalt_source *source = question->source;
    int error = source->ops->begin(source->database);
    if (error == 0)
        error = source->ops->select(source->database, question->statement, question->parameters);
    if (error != 0)
        source->epoch++;
    return error;
}

static int ask(struct xalt_source *source, struct statement *statement,
               const struct value *parameters)
{
    struct question question = {source, statement, parameters};
    if (statement == NULL)
        return refuse(source, -ENOMEM, "out of memory");
    return store_patiently(ask_once, &question);
}

/* The first value of the query's only row, which may be NULL. */
static int ask_one(struct xalt_source *source, struct statement *statement,
                   const struct value *parameters, struct value *value)
{
    int error = ask(source, statement, parameters);
    *value = (struct value){.kind = VALUE_NULL};
    return error != 0 ? error : source->ops->next(source->database, statement, value, 1);
}

/* ---- Tables --------------------------------------------------------------------------------- */

/* Asks once for the columns of all tables. Views are none: a store of jobtrail's has such. */
static int list_columns(struct xalt_source *source)
{
    struct statement *statement = source->ops->statement(
        source->database, "SELECT concat(c.table_name, '.', c.column_name)"
                          " FROM information_schema.columns c"
                          " JOIN information_schema.tables t USING (table_schema, table_name)"
                          " WHERE c.table_schema = DATABASE() AND t.table_type = 'BASE TABLE'"
                          " AND c.table_name IN ('xalt_link', 'xalt_run', 'xalt_pkg')");
    size_t used = (size_t)snprintf(source->columns, sizeof source->columns, "\n");
    struct value name;
    int more, error = ask(source, statement, NULL);
    if (error != 0)
        return error;
    while ((more = source->ops->next(source->database, statement, &name, 1)) > 0)
        if (name.kind == VALUE_TEXT && used + name.size + 2 < sizeof source->columns)
            used += (size_t)snprintf(source->columns + used, sizeof source->columns - used, "%s\n",
                                     name.text);
    return more;
}

static bool has_column(const struct xalt_source *source, const char *table, const char *column)
{
    char line[160];
    snprintf(line, sizeof line, "\n%s.%s\n", table, column);
    return strstr(source->columns, line) != NULL;
}

static const char *name_of(const struct xalt_table *table, const struct xalt_column *column)
{
    return column->of[0] == 'r' ? table->name : column->of[0] == 'l' ? "xalt_link" : "xalt_run";
}

static int lacks(struct xalt_source *source, const char *table, const char *column)
{
    snprintf(source->error, sizeof source->error,
             "it is no database of XALT 2 or 3: it has no table %s with a column %s", table,
             column);
    return -EIO;
}

/* The query for the rows of the table; NULL stands for what this version of XALT does not have. */
static int select_rows(struct xalt_source *source, const struct xalt_table *table, char *sql)
{
    size_t used = (size_t)snprintf(sql, SQL_BYTES, "SELECT r.%s, %s", table->id, table->date);
    for (size_t i = 0; i < table->count; i++) {
        const struct xalt_column *column = &table->columns[i];
        const bool is_there = has_column(source, name_of(table, column), column->column);
        if (!is_there && !column->is_optional)
            return lacks(source, name_of(table, column), column->column);
        used += !is_there ? (size_t)snprintf(sql + used, SQL_BYTES - used, ", NULL")
                : column->sql != NULL
                    ? (size_t)snprintf(sql + used, SQL_BYTES - used, ", %s", column->sql)
                    : (size_t)snprintf(sql + used, SQL_BYTES - used, ", %s.`%s`", column->of,
                                       column->column);
    }
    snprintf(sql + used, SQL_BYTES - used, " FROM %s WHERE r.%s > ? ORDER BY r.%s LIMIT %d",
             table->from, table->id, table->id, ROWS_AT_ONCE);
    return 0;
}

static int open_rows(struct xalt_source *source, const struct xalt_table *table, int64_t after)
{
    char sql[SQL_BYTES];
    int error = select_rows(source, table, sql);
    if (error != 0)
        return error;
    source->rows = (struct cursor){.statement = source->ops->statement(source->database, sql),
                                   .columns = XALT_ROW_REST + table->count,
                                   .at_once = ROWS_AT_ONCE,
                                   .after = {after}};
    return 0;
}

/* Without the hint MariaDB sorts the whole table for each query. */
static int name_index(struct xalt_source *source, const struct xalt_list *list, char *hint,
                      size_t size)
{
    const struct value names[] = {value_text(list->table), value_text(list->id)};
    struct value found;
    int error = ask_one(source, source->index_of, names, &found);
    hint[0] = '\0';
    if (found.kind == VALUE_TEXT)
        snprintf(hint, size, "FORCE INDEX (`%s`)", found.text);
    return error < 0 ? error : 0;
}

static int open_list(struct xalt_source *source, size_t at, int64_t after)
{
    const struct xalt_list *list = &xalt_lists[at];
    char sql[SQL_BYTES], hint[128];
    int error = name_index(source, list, hint, sizeof hint);
    snprintf(sql, sizeof sql,
             "SELECT j.%s, j.join_id, %s, %s FROM %s j %s STRAIGHT_JOIN %s"
             " WHERE j.%s >= ? AND (j.%s > ? OR j.join_id > ?) ORDER BY j.%s, j.join_id LIMIT %d",
             list->id, list->first, list->second, list->table, hint, list->join, list->id, list->id,
             list->id, MEMBERS_AT_ONCE);
    source->lists[at] = (struct cursor){.statement = source->ops->statement(source->database, sql),
                                        .columns = LIST_COLUMNS,
                                        .at_once = MEMBERS_AT_ONCE,
                                        .after = {after + 1, 0},
                                        .is_list = true};
    return error;
}

void xalt_source_use(struct xalt_source *source, size_t table)
{
    char sql[SQL_BYTES];
    source->table = &xalt_tables[table];
    snprintf(sql, sizeof sql, "SELECT %s FROM %s WHERE r.%s = ?", source->table->uuid,
             source->table->from, source->table->id);
    source->uuid_of = source->ops->statement(source->database, sql);
}

int xalt_source_start(struct xalt_source *source, int64_t after)
{
    source->error[0] = '\0';
    int error = open_rows(source, source->table, after);
    for (size_t i = 0; error == 0 && i < XALT_LISTS; i++)
        if (xalt_lists[i].kind == source->table->kind)
            error = open_list(source, i, after);
    return error;
}

int xalt_source_open(const char *location, struct xalt_source **out)
{
    struct xalt_source *source = calloc(1, sizeof *source);
    char sql[SQL_BYTES];
    *out = source;
    if (source == NULL)
        return -ENOMEM;
    source->ops = &database_xalt;
    source->epoch = 1;
    int error = source->ops->open(location, false, &source->database);
    if (error == 0)
        error = list_columns(source);
    if (error == 0)
        source->index_of = source->ops->statement(
            source->database, "SELECT min(index_name) FROM information_schema.statistics"
                              " WHERE table_schema = DATABASE() AND table_name = ?"
                              " AND column_name = ? AND seq_in_index = 1");
    for (size_t i = 0; error == 0 && i < XALT_TABLES; i++)
        error = select_rows(source, &xalt_tables[i], sql);
    return error;
}

void xalt_source_close(struct xalt_source *source)
{
    if (source != NULL)
        source->ops->close(source->database);
    free(source);
}

/* ---- Rows ----------------------------------------------------------------------------------- */

static int ask_cursor(struct xalt_source *source, struct cursor *cursor)
{
    const struct value parameters[] = {value_int(cursor->after[0]), value_int(cursor->after[0]),
                                       value_int(cursor->after[1])};
    int error = ask(source, cursor->statement, parameters);
    cursor->epoch = source->epoch;
    cursor->got = 0;
    return error;
}

/* Makes the next row the last one. Returns 1, 0 when there are no more, or -errno. */
static int advance(struct xalt_source *source, struct cursor *cursor)
{
    for (;;) {
        if (cursor->is_done)
            return 0;
        int error = cursor->epoch == source->epoch ? 0 : ask_cursor(source, cursor);
        if (error != 0)
            return error;
        int more =
            source->ops->next(source->database, cursor->statement, cursor->row, cursor->columns);
        if (more < 0)
            return more;
        if (more > 0) {
            cursor->got++;
            cursor->after[0] = value_whole(&cursor->row[0]);
            cursor->after[1] = cursor->is_list ? value_whole(&cursor->row[1]) : 0;
            return 1;
        }
        cursor->is_done = cursor->got < cursor->at_once;
        cursor->epoch = 0;
    }
}

/* Members of rows that are no more there are passed by. */
static int add_list(struct xalt_source *source, size_t at, int64_t id, struct json_text *json)
{
    struct cursor *cursor = &source->lists[at];
    bool is_first = true;
    xalt_list_begin(json, &xalt_lists[at]);
    for (;;) {
        int more = cursor->is_held ? 1 : advance(source, cursor);
        if (more < 0)
            return more;
        cursor->is_held = more > 0 && cursor->after[0] > id;
        if (more == 0 || cursor->is_held)
            break;
        if (cursor->after[0] < id)
            continue;
        xalt_list_add(json, &xalt_lists[at], is_first, &cursor->row[2]);
        is_first = false;
    }
    xalt_list_end(json, &xalt_lists[at]);
    return 0;
}

/* The column with the time that its date is made of. */
static double time_of(const struct xalt_table *table, const struct value *row)
{
    for (size_t i = 0; i < table->count; i++) {
        const char *column = table->columns[i].column;
        if (strcmp(column, "start_time") == 0)
            return xalt_start(value_number(&row[XALT_ROW_REST + i]), &row[XALT_ROW_DATE]);
        if (strcmp(column, "build_epoch") == 0 && table->kind == RECORD_LINK)
            return value_number(&row[XALT_ROW_REST + i]);
    }
    return 0;
}

int xalt_source_next(struct xalt_source *source, struct xalt_row *row, struct json_text *json)
{
    int more = advance(source, &source->rows);
    if (more <= 0)
        return more;
    const struct value *values = source->rows.row;
    row->id = source->rows.after[0];
    row->is_other_day = xalt_is_other_day(time_of(source->table, values), &values[XALT_ROW_DATE]);
    xalt_record_begin(json, source->table, values);
    for (size_t i = 0; i < XALT_LISTS; i++) {
        int error =
            xalt_lists[i].kind == source->table->kind ? add_list(source, i, row->id, json) : 0;
        if (error != 0)
            return error;
    }
    xalt_record_end(json);
    return 1;
}

/* ---- Places --------------------------------------------------------------------------------- */

int xalt_source_uuid(struct xalt_source *source, int64_t id, char *text, size_t size)
{
    const struct value number = value_int(id);
    struct value uuid;
    int error = ask_one(source, source->uuid_of, &number, &uuid);
    snprintf(text, size, "%s", uuid.kind == VALUE_TEXT ? uuid.text : "");
    return error < 0 ? error : 0;
}

static int ask_id(struct xalt_source *source, const char *sql, int64_t *id)
{
    struct value found;
    int error = ask_one(source, source->ops->statement(source->database, sql), NULL, &found);
    *id = found.kind == VALUE_NULL ? 0 : value_whole(&found);
    return error < 0 ? error : 0;
}

int xalt_source_last(struct xalt_source *source, int64_t *id)
{
    char sql[SQL_BYTES];
    snprintf(sql, sizeof sql, "SELECT max(%s) FROM %s", source->table->id, source->table->name);
    return ask_id(source, sql, id);
}

int xalt_source_settled(struct xalt_source *source, int64_t *id)
{
    const struct xalt_table *of = source->table;
    char sql[SQL_BYTES];
    size_t used = (size_t)snprintf(
        sql, sizeof sql,
        "SELECT max(%s) FROM %s WHERE %s <= (SELECT CAST(max(%s) AS SIGNED) - " LATE_ROWS
        " FROM %s)",
        of->id, of->name, of->id, of->id, of->name);
    if (of->kind == RECORD_RUN)
        snprintf(sql + used, sizeof sql - used,
                 " AND run_id < coalesce((SELECT min(run_id) FROM xalt_run WHERE end_time < 0.1 AND"
                 " date > (SELECT least(max(date), now()) FROM xalt_run) - INTERVAL " OPEN_DAYS
                 " DAY),"
                 " (SELECT max(run_id) FROM xalt_run))");
    return ask_id(source, sql, id);
}
