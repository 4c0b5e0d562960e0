/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/ps/ps_output.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <uuid/uuid.h>

#include "conf/base/command_options.h"
#include "conf/base/text.h"
#include "spank/journal.h"
#include "submit/record/json_add.h"
#include "submit/record/record.h"

/* A path of which each byte is shown as four. */
enum { CELL_SIZE = 4 * PATH_MAX + 8, SECOND_NS = 1000000000, WIDTH_MAX = 9999 };

struct ps_field {
    const char *name;
    int width;
    void (*value)(const struct ps_row *row, char cell[CELL_SIZE]);
};

static void elapsed(const struct ps_row *row, char cell[CELL_SIZE])
{
    uint64_t start = row->run->start_ns;
    uint64_t s = start == 0 || start > row->now_ns ? 0 : (row->now_ns - start) / SECOND_NS;
    size_t length = 0;
    if (s >= 86400)
        length = (size_t)snprintf(cell, CELL_SIZE, "%" PRIu64 "-", s / 86400);
    snprintf(cell + length, CELL_SIZE - length, "%02u:%02u:%02u", (unsigned)(s % 86400 / 3600),
             (unsigned)(s % 3600 / 60), (unsigned)(s % 60));
}

static void exec_path(const struct ps_row *row, char cell[CELL_SIZE])
{
    terminal_text(row->run->path.at, row->run->path.size, cell, CELL_SIZE);
}

static void exec(const struct ps_row *row, char cell[CELL_SIZE])
{
    const struct capture_bytes *path = &row->run->path;
    const char *slash = memrchr(path->at, '/', path->size);
    const char *name = slash == NULL ? path->at : slash + 1;
    terminal_text(name, path->size - (size_t)(name - path->at), cell, CELL_SIZE);
}

static void job_id(const struct ps_row *row, char cell[CELL_SIZE])
{
    char step[32];
    journal_step_text(row->run->step, step, sizeof step);
    snprintf(cell, CELL_SIZE, row->run->step == UINT32_MAX ? "%u" : "%u.%s",
             (unsigned)row->job->job, step);
}

static void node(const struct ps_row *row, char cell[CELL_SIZE])
{
    terminal_text(row->node, strlen(row->node), cell, CELL_SIZE);
}

static void number_of_tasks(const struct ps_row *row, char cell[CELL_SIZE])
{
    snprintf(cell, CELL_SIZE, "%u", (unsigned)row->run->size);
}

static void pid(const struct ps_row *row, char cell[CELL_SIZE])
{
    snprintf(cell, CELL_SIZE, "%d", (int)row->run->pid);
}

static void rank(const struct ps_row *row, char cell[CELL_SIZE])
{
    snprintf(cell, CELL_SIZE, "%u", (unsigned)row->run->rank);
}

static void restart_count(const struct ps_row *row, char cell[CELL_SIZE])
{
    snprintf(cell, CELL_SIZE, "%u", (unsigned)row->job->restart);
}

static void start(const struct ps_row *row, char cell[CELL_SIZE])
{
    time_t seconds = (time_t)(row->run->start_ns / SECOND_NS);
    struct tm local;
    if (localtime_r(&seconds, &local) == NULL ||
        strftime(cell, CELL_SIZE, "%Y-%m-%dT%H:%M:%S", &local) == 0)
        strcpy(cell, "Unknown");
}

static void step(const struct ps_row *row, char cell[CELL_SIZE])
{
    journal_step_text(row->run->step, cell, CELL_SIZE);
}

static void task(const struct ps_row *row, char cell[CELL_SIZE])
{
    if (row->run->task != UINT32_MAX)
        snprintf(cell, CELL_SIZE, "%u", (unsigned)row->run->task);
}

static void user(const struct ps_row *row, char cell[CELL_SIZE])
{
    if (row->job->user[0] != '\0')
        terminal_text(row->job->user, strlen(row->job->user), cell, CELL_SIZE);
    else
        snprintf(cell, CELL_SIZE, "%u", (unsigned)row->job->uid);
}

static void uuid(const struct ps_row *row, char cell[CELL_SIZE])
{
    uuid_unparse_lower(row->run->uuid, cell);
}

/* clang-format off */
static const struct ps_field fields[] = {
    {"Elapsed", 10, elapsed},
    {"Exec", 20, exec},
    {"ExecPath", 40, exec_path},
    {"JobID", -16, job_id},
    {"Node", 15, node},
    {"NTasks", 8, number_of_tasks},
    {"PID", 8, pid},
    {"Rank", 6, rank},
    {"RestartCount", 12, restart_count},
    {"Start", 19, start},
    {"Step", 11, step},
    {"Task", 6, task},
    {"User", 9, user},
    {"UUID", 36, uuid},
};
/* clang-format on */

enum { FIELDS = sizeof fields / sizeof *fields };

/* That of the name, else the first whose name begins so. */
static const struct ps_field *find_field(const char *name, size_t length)
{
    const struct ps_field *found = NULL;
    for (size_t i = FIELDS; length > 0 && i-- > 0;)
        if (strncasecmp(fields[i].name, name, length) == 0 &&
            (found == NULL || found->name[length] != '\0'))
            found = &fields[i];
    return found;
}

/* FIELD[%[-]WIDTH] */
static bool read_column(const char *word, struct ps_column *column)
{
    uint32_t width;
    size_t length = strcspn(word, "%");
    bool is_left = word[length] == '%' && word[length + 1] == '-';
    column->field = find_field(word, length);
    if (column->field == NULL)
        return false;
    column->width = column->field->width;
    if (word[length] == '\0')
        return true;
    if (options_number(word + length + 1 + is_left, 1, WIDTH_MAX, &width) != 0)
        return false;
    column->width = is_left ? -(int)width : (int)width;
    return true;
}

bool ps_columns_read(const char *format, struct ps_columns *columns)
{
    char word[64];
    columns->count = 0;
    for (const char *at = format; *at != '\0';) {
        size_t length = strcspn(at, ", ");
        snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word), at);
        at += length + (at[length] != '\0');
        if (length == 0)
            continue;
        if (columns->count == PS_COLUMNS_MAX) {
            fprintf(stderr, "jobtrail-ps: more than %d fields requested\n", PS_COLUMNS_MAX);
            return false;
        }
        if (length >= sizeof word || !read_column(word, &columns->column[columns->count])) {
            fprintf(stderr, "jobtrail-ps: Invalid field requested: \"%s\"\n", word);
            return false;
        }
        columns->count++;
    }
    if (columns->count == 0)
        fputs("jobtrail-ps: No field requested\n", stderr);
    return columns->count > 0;
}

void ps_fields_print(void)
{
    for (size_t i = 0; i < FIELDS; i++)
        printf(i % 4 == 3 || i + 1 == FIELDS ? "%s\n" : "%-19s ", fields[i].name);
}

/* In as many characters as the column has; `mark` ends what was cut. */
static void print_cell(const char *text, int width, char mark)
{
    size_t room = (size_t)abs(width), characters = 0, end = 0;
    for (size_t i = 0; text[i] != '\0'; i++)
        characters += ((unsigned char)text[i] & 0xc0) != 0x80;
    bool is_cut = characters > room;
    size_t shown = is_cut ? room - (mark != '\0') : characters, seen = 0;
    for (; text[end] != '\0'; end++) {
        seen += ((unsigned char)text[end] & 0xc0) != 0x80;
        if (seen > shown)
            break;
    }
    int blanks = (int)(room - shown - (is_cut && mark != '\0'));
    printf("%*s%.*s%s%*s ", width < 0 ? 0 : blanks, "", (int)end, text,
           is_cut && mark != '\0' ? (char[]){mark, '\0'} : "", width < 0 ? blanks : 0, "");
}

static void print_in_form(enum ps_form form, const struct ps_columns *columns, size_t i,
                          const char *text, char mark)
{
    if (form == PS_TABLE)
        print_cell(text, columns->column[i].width, mark);
    else
        printf("%s%s", text, form == PS_BARS && i + 1 == columns->count ? "" : "|");
}

void ps_print_head(enum ps_form form, const struct ps_columns *columns, bool has_names)
{
    if (form == PS_JSON)
        fputs("{\"runs\": [", stdout);
    if (form == PS_JSON || !has_names)
        return;
    for (size_t i = 0; i < columns->count; i++)
        print_in_form(form, columns, i, columns->column[i].field->name, '\0');
    putchar('\n');
    for (size_t i = 0; form == PS_TABLE && i < columns->count; i++)
        for (int dash = abs(columns->column[i].width); dash >= 0; dash--)
            putchar(dash > 0 ? '-' : ' ');
    if (form == PS_TABLE)
        putchar('\n');
}

/* The keys are those of jobtrail-acct's JSON. */
static void print_json(const struct ps_row *row)
{
    const struct running *run = row->run;
    char cell[CELL_SIZE], step_name[32];
    struct json_object *table = json_object_new_object();
    json_add_int(table, "job_id_raw", row->job->job);
    json_add_int(table, "restart_count", row->job->restart);
    journal_step_text(run->step, step_name, sizeof step_name);
    if (run->step == UINT32_MAX)
        json_add(table, "step_id", NULL);
    else
        json_add_text(table, "step_id", step_name);
    json_add_optional(table, "task_id", run->task, UINT32_MAX);
    user(row, cell);
    json_add_text(table, "user", cell);
    json_add_bytes(table, "node", text_bytes(row->node));
    json_add_int(table, "pid", run->pid);
    json_add_int(table, "rank", run->rank);
    json_add_int(table, "num_tasks", run->size);
    json_add_measured(table, "start_time", json_seconds(run->start_ns));
    json_add_measured(table, "elapsed",
                      run->start_ns > row->now_ns ? 0 : json_seconds(row->now_ns - run->start_ns));
    json_add_bytes(table, "exec_path", run->path);
    uuid(row, cell);
    json_add_text(table, "uuid", cell);
    const char *text = json_text(table);
    fputs(text == NULL ? "null" : text, stdout);
    json_object_put(table);
}

void ps_print_row(enum ps_form form, const struct ps_columns *columns, const struct ps_row *row,
                  bool is_first)
{
    char cell[CELL_SIZE];
    if (form == PS_JSON) {
        fputs(is_first ? "\n" : ",\n", stdout);
        print_json(row);
        return;
    }
    for (size_t i = 0; i < columns->count; i++) {
        cell[0] = '\0';
        columns->column[i].field->value(row, cell);
        print_in_form(form, columns, i, cell, '+');
    }
    putchar('\n');
}

void ps_print_end(enum ps_form form)
{
    if (form == PS_JSON)
        puts("\n]}");
}
