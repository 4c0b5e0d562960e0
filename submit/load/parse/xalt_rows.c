/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/parse/xalt_rows.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "submit/load/parse/json_parse.h"
#include "submit/load/parse/load_record.h"

/* ---- Tables --------------------------------------------------------------------------------- */

/* clang-format off */
static const struct xalt_column link_columns[] = {
    {"r", "link_line",     "UNCOMPRESS(r.link_line)", "", "link_line", XALT_WORDS, false},
    {"r", "build_epoch",   NULL, "resultT", "build_epoch",   XALT_SPELT, false},
    {"r", "build_syshost", NULL, "resultT", "build_syshost", XALT_TEXT, false},
    {"r", "build_user",    NULL, "resultT", "build_user",    XALT_TEXT, false},
    {"r", "exec_path",     NULL, "resultT", "exec_path",     XALT_TEXT, false},
    {"r", "hash_id",       NULL, "resultT", "hash_id",       XALT_TEXT, false},
    {"r", "link_path",     NULL, "resultT", "link_path",     XALT_TEXT, false},
    {"r", "link_program",  NULL, "resultT", "link_program",  XALT_TEXT, false},
    {"r", "uuid",          NULL, "resultT", "uuid",          XALT_TEXT, false},
    {"r", "cwd",           NULL, "resultT", "wd",            XALT_TEXT, false},
};
/* The watermark's values are those that its link's record has, too. */
static const struct xalt_column run_columns[] = {
    {"r", "hash_id",       NULL, "", "hash_id", XALT_TEXT, false},
    {"r", "cmdline",       "UNCOMPRESS(r.cmdline)", "", "cmdlineA", XALT_WORDS, false},
    {"r", "account",       NULL, "userT", "account",   XALT_TEXT, false},
    {"r", "container",     NULL, "userT", "container", XALT_TEXT, true},
    {"r", "cwd",           NULL, "userT", "cwd",       XALT_TEXT, false},
    {"r", "exec_path",     NULL, "userT", "exec_path", XALT_TEXT, false},
    {"r", "exec_type",     NULL, "userT", "exec_type", XALT_TEXT, false},
    {"r", "job_id",        NULL, "userT", "job_id",    XALT_TEXT, false},
    {"r", "queue",         NULL, "userT", "queue",     XALT_TEXT, false},
    {"r", "run_uuid",      NULL, "userT", "run_uuid",  XALT_TEXT, false},
    {"r", "syshost",       NULL, "userT", "syshost",   XALT_TEXT, false},
    {"r", "user",          NULL, "userT", "user",      XALT_TEXT, false},
    {"r", "end_time",      NULL, "userDT", "end_time",    XALT_END, false},
    {"r", "num_cores",     NULL, "userDT", "num_cores",   XALT_NUMBER, false},
    {"r", "num_gpus",      NULL, "userDT", "num_gpus",    XALT_NUMBER, true},
    {"r", "num_nodes",     NULL, "userDT", "num_nodes",   XALT_NUMBER, false},
    {"r", "num_threads",   NULL, "userDT", "num_threads", XALT_NUMBER, false},
    {"r", "probability",   NULL, "userDT", "probability", XALT_NUMBER, false},
    {"r", "run_time",      NULL, "userDT", "run_time",    XALT_SPAN, false},
    {"r", "start_time",    NULL, "userDT", "start_time",  XALT_START,  false},
    {"r", "uuid",          NULL, "xaltLinkT", "Build_UUID",         XALT_TEXT, false},
    {"l", "cwd",           NULL, "xaltLinkT", "Build_CWD",          XALT_TEXT, false},
    {"l", "build_epoch",   NULL, "xaltLinkT", "Build_Epoch",        XALT_SPELT, false},
    {"l", "build_syshost", NULL, "xaltLinkT", "Build_Syshost",      XALT_TEXT, false},
    {"l", "build_user",    NULL, "xaltLinkT", "Build_User",         XALT_TEXT, false},
    {"l", "link_program",  NULL, "xaltLinkT", "Build_compiler",     XALT_TEXT, false},
    {"l", "link_path",     NULL, "xaltLinkT", "Build_compilerPath", XALT_TEXT, false},
};
static const struct xalt_column package_columns[] = {
    {"r", "pkg_name",    NULL, "", "package_name",    XALT_TEXT, false},
    {"r", "pkg_path",    NULL, "", "package_path",    XALT_TEXT, false},
    {"r", "pkg_version", NULL, "", "package_version", XALT_TEXT, false},
    {"r", "program",     NULL, "", "program",         XALT_TEXT, false},
    {"p", "run_uuid",    NULL, "", "xalt_run_uuid",   XALT_TEXT, false},
};
#define COLUMNS(list) (list), sizeof (list) / sizeof (list)[0]
const struct xalt_table xalt_tables[] = {
    {RECORD_LINK, "xalt_link", "link_id", "r.uuid", "r.date", "xalt_link r", COLUMNS(link_columns)},
    {RECORD_RUN, "xalt_run", "run_id", "r.run_uuid", "r.date",
     "xalt_run r LEFT JOIN xalt_link l ON l.uuid = r.uuid", COLUMNS(run_columns)},
    {RECORD_PACKAGE, "xalt_pkg", "pkg_id", "p.run_uuid", "NULL",
     "xalt_pkg r STRAIGHT_JOIN xalt_run p ON p.run_id = r.run_id", COLUMNS(package_columns)},
};
const struct xalt_list xalt_lists[] = {
    {RECORD_LINK, "linkA", "join_link_object", "link_id", "xalt_object o ON o.obj_id = j.obj_id",
     "o.object_path", "o.hash_id", XALT_PAIRS},
    {RECORD_LINK, "function", "join_link_function", "link_id", "xalt_function f ON f.func_id = j.func_id",
     "f.function_name", "NULL", XALT_NAMES},
    {RECORD_RUN, "libA", "join_run_object", "run_id", "xalt_object o ON o.obj_id = j.obj_id",
     "o.object_path", "o.hash_id", XALT_PAIRS},
    {RECORD_RUN, "envT", "join_run_env", "run_id", "xalt_env_name e ON e.env_id = j.env_id",
     "e.env_name", "j.env_value", XALT_MEMBERS},
};
/* clang-format on */
_Static_assert(sizeof xalt_tables / sizeof xalt_tables[0] == XALT_TABLES, "all tables");
_Static_assert(sizeof xalt_lists / sizeof xalt_lists[0] == XALT_LISTS, "all lists");
_Static_assert(sizeof run_columns / sizeof run_columns[0] + XALT_ROW_REST <= XALT_COLUMNS_MAX,
               "the table of runs has the most columns");

/* ---- Times ---------------------------------------------------------------------------------- */

#define DAY_SIZE  (sizeof "YYYY-MM-DD" - 1)
#define LAST_TIME 253402300800.0 /* of the year 9999 */
#define LARGEST   1e11           /* number that a record may have */

static bool has_date(double when, const struct value *date, size_t size)
{
    char here[RECORD_DATE_SIZE];
    if (!(when >= 0 && when < LAST_TIME))
        return false;
    record_date((struct record_real){true, when}, here);
    return date->kind == VALUE_TEXT && date->size >= size && strlen(here) >= size &&
           memcmp(date->text, here, size) == 0;
}

double xalt_start(double start, const struct value *date)
{
    const size_t whole = RECORD_DATE_SIZE - 1;
    return !has_date(start, date, whole) && has_date(start - 1, date, whole) ? start - 0.5 : start;
}

bool xalt_is_other_day(double when, const struct value *date)
{
    return date->kind == VALUE_TEXT && !has_date(when, date, DAY_SIZE);
}

/* ---- Words ---------------------------------------------------------------------------------- */

/* Of an array of strings that was cut anywhere: how much of it stays, and in `*end` what it lacks.
 */
static size_t whole_part(const char *text, size_t size, const char **end)
{
    bool in_string = false;
    for (size_t at = 0; at < size; at++) {
        const size_t escape = text[at] != '\\' ? 0 : at + 1 < size && text[at + 1] == 'u' ? 5 : 1;
        if (in_string && escape > 0 && at + escape >= size)
            size = at; /* an escape that was cut */
        else if (in_string && escape > 0)
            at += escape;
        else if (text[at] == '"')
            in_string = !in_string;
    }
    while (!in_string && size > 0 && strchr(" ,", text[size - 1]) != NULL)
        size--;
    *end = in_string ? "\"]" : size > 1 && text[size - 1] == ']' ? "" : "]";
    return size;
}

/* Whether it is an array of strings, as it was or once it has an end; it is added then. */
static bool add_array(struct json_text *json, const char *text, size_t size)
{
    const char *end;
    struct json_text whole = {0};
    struct load_reason ignored;
    struct json_object *parsed = NULL;
    size_t bytes = 0, length;
    char *list;
    json_text_bytes(&whole, text, whole_part(text, size, &end));
    json_text_raw(&whole, end);
    if (size == 0 || text[0] != '[' || json_text_take(&whole, &list, &length) != 0) {
        json_text_free(&whole);
        return false;
    }
    bool is_list = memchr(list, '\0', length) == NULL &&
                   json_parse(list, length, &parsed, &bytes, &ignored) == 0 &&
                   json_object_is_type(parsed, json_type_array);
    for (size_t i = 0; is_list && i < json_object_array_length(parsed); i++)
        is_list = json_object_is_type(json_object_array_get_idx(parsed, i), json_type_string);
    if (is_list)
        json_text_bytes(json, list, length);
    json_object_put(parsed);
    free(list);
    return is_list;
}

static void add_words(struct json_text *json, const char *text, size_t size)
{
    if (add_array(json, text, size))
        return;
    const char *after = "[";
    for (size_t at = 0; at < size;) {
        const char *blank = memchr(text + at, ' ', size - at);
        const size_t length = (blank == NULL ? size : (size_t)(blank - text)) - at;
        if (length > 0) {
            json_text_raw(json, after);
            json_text_string(json, text + at, length);
            after = ",";
        }
        at += length + 1;
    }
    json_text_raw(json, after[0] == '[' ? "[]" : "]");
}

/* ---- Records -------------------------------------------------------------------------------- */

static double number_of(const struct xalt_table *table, const char *column, const struct value *row)
{
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->columns[i].column, column) == 0)
            return value_number(&row[XALT_ROW_REST + i]);
    return INFINITY;
}

/* The value of an end or of an elapsed time, or what the other one makes it. Returns false where
 * neither says. */
static bool find_time(const struct xalt_table *table, enum xalt_form form, const struct value *row,
                      double *time)
{
    const double start = number_of(table, "start_time", row);
    const double end = number_of(table, "end_time", row);
    const double span = number_of(table, "run_time", row);
    *time = form == XALT_END ? end : span;
    if (!(fabs(*time) <= LARGEST))
        *time = form == XALT_END ? start + span : end - start;
    return fabs(*time) <= LARGEST;
}

static void add_value(struct json_text *json, enum xalt_form form, const struct value *value,
                      const struct value *date)
{
    switch (form) {
    case XALT_END: /* find_time() */
    case XALT_SPAN:
    case XALT_NUMBER:
        json_text_number(json, value_number(value));
        break;
    case XALT_START:
        json_text_number(json, xalt_start(value_number(value), date));
        break;
    case XALT_WORDS:
        add_words(json, value->text, value->size);
        break;
    case XALT_TEXT:
    case XALT_SPELT:
        json_text_string(json, value->text, value->size);
        break;
    }
}

static void add_key(struct json_text *json, const char *key)
{
    json_text_string(json, key, strlen(key));
    json_text_raw(json, ":");
}

/* `*after` is what stands before the next key. */
static void add_column(struct json_text *json, const struct xalt_table *table, size_t at,
                       const struct value *row, const char **after)
{
    const struct xalt_column *column = &table->columns[at];
    const struct value *value = &row[XALT_ROW_REST + at];
    const bool is_time = column->form == XALT_END || column->form == XALT_SPAN;
    double time = 0;
    if (value->kind != VALUE_TEXT || (is_time && !find_time(table, column->form, row, &time)))
        return;
    json_text_raw(json, *after);
    add_key(json, column->key);
    if (is_time)
        json_text_number(json, time);
    else
        add_value(json, column->form, value, &row[XALT_ROW_DATE]);
    *after = ",";
}

void xalt_record_begin(struct json_text *json, const struct xalt_table *table,
                       const struct value *row)
{
    const char *open = "", *after = "{";
    for (size_t i = 0; i < table->count; i++) {
        const struct xalt_column *column = &table->columns[i];
        if (strcmp(column->table, open) != 0) {
            json_text_raw(json, open[0] != '\0' ? "}," : after);
            add_key(json, column->table);
            json_text_raw(json, "{");
            open = column->table;
            after = "";
        }
        add_column(json, table, i, row, &after);
    }
    json_text_raw(json, open[0] != '\0' ? "}" : "");
}

void xalt_list_begin(struct json_text *json, const struct xalt_list *list)
{
    json_text_raw(json, ",");
    add_key(json, list->key);
    json_text_raw(json, list->form == XALT_MEMBERS ? "{" : "[");
}

static void add_text(struct json_text *json, const struct value *value)
{
    json_text_string(json, value->kind == VALUE_TEXT ? value->text : "",
                     value->kind == VALUE_TEXT ? value->size : 0);
}

void xalt_list_add(struct json_text *json, const struct xalt_list *list, bool is_first,
                   const struct value texts[2])
{
    json_text_raw(json, is_first ? "" : ",");
    json_text_raw(json, list->form == XALT_PAIRS ? "[" : "");
    add_text(json, &texts[0]);
    if (list->form == XALT_NAMES)
        return;
    json_text_raw(json, list->form == XALT_PAIRS ? "," : ":");
    add_text(json, &texts[1]);
    json_text_raw(json, list->form == XALT_PAIRS ? "]" : "");
}

void xalt_list_end(struct json_text *json, const struct xalt_list *list)
{
    json_text_raw(json, list->form == XALT_MEMBERS ? "}" : "]");
}

void xalt_record_end(struct json_text *json)
{
    json_text_raw(json, "}");
}
