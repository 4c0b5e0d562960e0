/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/libq/libq_output.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/text.h"

enum { TERMINAL_PIECE = 4 << 10, ESCAPED = 4, ROOM = 8 };

static bool is_terminal;

void output_begin(void)
{
    is_terminal = isatty(STDOUT_FILENO) == 1;
    if (!is_terminal)
        setvbuf(stdout, NULL, _IOFBF, 1 << 16);
}

/* Up to `size` bytes, without a part of a character of UTF-8 at the end. */
static size_t whole_characters(const char *bytes, size_t size)
{
    size_t end = size;
    for (int i = 0; i < 3 && end > 1 && ((unsigned char)bytes[end] & 0xc0) == 0x80; i++)
        end--;
    return ((unsigned char)bytes[end] & 0xc0) == 0x80 ? size : end;
}

static void print_bytes(const char *bytes, size_t size)
{
    char text[ESCAPED * TERMINAL_PIECE + ROOM];
    if (!is_terminal) {
        fwrite_unlocked(bytes, 1, size, stdout);
        return;
    }
    while (size > 0) {
        size_t taken = size <= TERMINAL_PIECE ? size : whole_characters(bytes, TERMINAL_PIECE);
        terminal_text(bytes, taken, text, sizeof text);
        fputs(text, stdout);
        bytes += taken;
        size -= taken;
    }
}

void output_name(const char *name, char after)
{
    print_bytes(name, strlen(name));
    putchar(after);
}

void output_line(const char *name, const struct line_piece *piece)
{
    if (name != NULL && piece->begins)
        output_name(name, ':');
    if (!is_terminal && piece->has_newline) {
        fwrite_unlocked(piece->at, 1, piece->size + 1, stdout);
        return;
    }
    print_bytes(piece->at, piece->size);
    if (piece->ends)
        putchar('\n');
}

/* A name as tables have it, escaped as for a terminal; to be freed. NULL when out of memory. */
static char *output_escaped(const char *name)
{
    size_t room = ESCAPED * strlen(name) + ROOM;
    char *text = malloc(room);
    if (text != NULL)
        terminal_text(name, strlen(name), text, room);
    return text;
}

/* As jobtrail-acct does it: an apostrophe before what a spreadsheet would take for a formula. */
static void print_csv(const char *name)
{
    CLEANUP_FREE char *text = output_escaped(name);
    if (text == NULL)
        return;
    const char *first = text + strspn(text, " '\"");
    bool has_quotes = strpbrk(text, ",\"") != NULL;
    const char *before = *first != '\0' && strchr("=+-@", *first) != NULL ? "'" : "";
    printf("%s%s", has_quotes ? "\"" : "", before);
    for (const char *at = text; *at != '\0'; at++)
        printf(*at == '"' ? "\"\"" : "%c", *at);
    fputs(has_quotes ? "\"" : "", stdout);
}

static void print_json(const char *name)
{
    size_t size;
    CLEANUP_FREE char *text = text_from_bytes(name, strlen(name), &size);
    putchar('"');
    for (size_t i = 0; text != NULL && i < size; i++) {
        unsigned char byte = (unsigned char)text[i];
        if (byte < 0x20 || byte == 0x7f)
            printf("\\u%04x", byte);
        else
            printf(byte == '"' || byte == '\\' ? "\\%c" : "%c", byte);
    }
    putchar('"');
}

void output_counts(enum output_form form, const struct log_count *counts, size_t count,
                   bool has_names)
{
    fputs(form == OUTPUT_JSON  ? "{\"logs\": ["
          : form == OUTPUT_CSV ? "File,Library,Lines\n"
                               : "",
          stdout);
    for (size_t i = 0; i < count; i++) {
        if (form == OUTPUT_JSON) {
            fputs(i == 0 ? "\n{\"file\": " : ",\n{\"file\": ", stdout);
            print_json(counts[i].file);
            fputs(", \"library\": ", stdout);
            print_json(counts[i].name);
            printf(", \"lines\": %" PRIu64 "}", counts[i].lines);
            continue;
        }
        if (form == OUTPUT_CSV) {
            print_csv(counts[i].file);
            putchar(',');
            print_csv(counts[i].name);
            putchar(',');
        } else if (has_names) {
            output_name(counts[i].file, ':');
        }
        printf("%" PRIu64 "\n", counts[i].lines);
    }
    fputs(form == OUTPUT_JSON ? "\n]}\n" : "", stdout);
}

static void json_row(const struct use_table *table, const char *name, const struct use_row *row)
{
    fputs("{\"library\": ", stdout);
    print_json(name);
    fputs(", \"counts\": [", stdout);
    for (size_t i = 0; i < use_table_columns(table); i++)
        printf("%s%" PRIu64, i == 0 ? "" : ", ", row->count[i]);
    printf("], \"total\": %" PRIu64 "}", use_row_sum(row));
}

static void csv_row(const struct use_table *table, const char *name, const struct use_row *row)
{
    print_csv(name);
    for (size_t i = 0; i < use_table_columns(table); i++)
        printf(",%" PRIu64, row->count[i]);
    printf(",%" PRIu64 "\n", use_row_sum(row));
}

static size_t characters(const char *text)
{
    size_t count = 0;
    for (; *text != '\0'; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

/* As wide as the widest cell of each column is; the sums are at least as wide as what they add. */
struct widths {
    int name, count[USE_COLUMNS_MAX], total;
};

static void text_row(const struct use_table *table, const struct widths *widths, const char *name,
                     const struct use_row *row)
{
    printf("%s%*s |", name, widths->name - (int)characters(name), "");
    for (size_t i = 0; i < use_table_columns(table); i++)
        printf(" %*" PRIu64 " |", widths->count[i], row->count[i]);
    printf(" %*" PRIu64 " |\n", widths->total, use_row_sum(row));
}

static void dashes(int count)
{
    while (count-- > 0)
        putchar('-');
    putchar('|');
}

static void text_head(const struct use_table *table, const struct widths *widths)
{
    printf("%-*s |", widths->name, "Library");
    for (size_t i = 0; i < use_table_columns(table); i++)
        printf(" %*s |", widths->count[i], use_table_head(table, i));
    printf(" %*s |\n", widths->total, "Total");
    dashes(widths->name + 1);
    for (size_t i = 0; i < use_table_columns(table); i++)
        dashes(widths->count[i] + 2);
    dashes(widths->total + 2);
    putchar('\n');
}

static int digits(uint64_t number)
{
    return snprintf(NULL, 0, "%" PRIu64, number);
}

static void text_table(const struct use_table *table, const struct use_row *totals)
{
    struct widths widths = {.name = (int)strlen("Library"), .total = (int)strlen("Total")};
    for (size_t i = 0; i < use_table_columns(table); i++)
        widths.count[i] = digits(totals->count[i]) > 3 ? digits(totals->count[i]) : 3;
    if (digits(use_table_sum(table)) > widths.total)
        widths.total = digits(use_table_sum(table));
    for (size_t i = 0; i < table->rows; i++) {
        CLEANUP_FREE char *name = output_escaped(table->row[i].library);
        if (name != NULL && (int)characters(name) > widths.name)
            widths.name = (int)characters(name);
    }
    text_head(table, &widths);
    for (size_t i = 0; i < table->rows; i++) {
        CLEANUP_FREE char *name = output_escaped(table->row[i].library);
        text_row(table, &widths, name == NULL ? "?" : name, &table->row[i]);
    }
    text_row(table, &widths, "Total", totals);
}

static void json_table(const struct use_table *table, const struct use_row *totals)
{
    printf("{\"by\": \"%s\", \"columns\": [", table->by == USE_BY_WEEKDAY ? "weekday" : "month");
    for (size_t i = 0; i < use_table_columns(table); i++)
        printf("%s\"%s\"", i == 0 ? "" : ", ", use_table_head(table, i));
    fputs("], \"libraries\": [", stdout);
    for (size_t i = 0; i < table->rows; i++) {
        fputs(i == 0 ? "\n" : ",\n", stdout);
        json_row(table, table->row[i].library, &table->row[i]);
    }
    fputs("\n], \"total\": ", stdout);
    json_row(table, "Total", totals);
    puts("}");
}

void output_table(enum output_form form, const struct use_table *table)
{
    struct use_row totals = {0};
    for (size_t i = 0; i < use_table_columns(table); i++)
        totals.count[i] = use_column_sum(table, i);
    if (form == OUTPUT_JSON) {
        json_table(table, &totals);
    } else if (form == OUTPUT_CSV) {
        fputs("Library", stdout);
        for (size_t i = 0; i < use_table_columns(table); i++)
            printf(",%s", use_table_head(table, i));
        puts(",Total");
        for (size_t i = 0; i < table->rows; i++)
            csv_row(table, table->row[i].library, &table->row[i]);
        csv_row(table, "Total", &totals);
    } else {
        text_table(table, &totals);
    }
}

/* ---- Pages ----------------------------------------------------------------------------------- */

static const char head[] =
    "<!DOCTYPE html>\n"
    "<html lang=\"en\">\n"
    "<head>\n"
    "<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
    "'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n"
    "<style>\n"
    ":root { color-scheme: light dark; }\n"
    "body { font: 15px/1.45 system-ui, sans-serif; margin: 1.5rem; }\n"
    "table { border-collapse: collapse; }\n"
    "th, td { padding: .3rem .6rem; text-align: right; font-variant-numeric: tabular-nums;\n"
    "  border-bottom: 1px solid #8888; }\n"
    "th:first-child { text-align: left; overflow-wrap: anywhere; }\n"
    "tbody th { font-weight: 400; }\n"
    "</style>\n";

static void print_html(const char *text)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '&':
            fputs("&amp;", stdout);
            break;
        case '<':
            fputs("&lt;", stdout);
            break;
        case '>':
            fputs("&gt;", stdout);
            break;
        case '"':
            fputs("&quot;", stdout);
            break;
        default:
            putchar(*text);
        }
    }
}

/* A name of others. */
static void print_name(const char *name)
{
    CLEANUP_FREE char *text = output_escaped(name);
    print_html(text == NULL ? "?" : text);
}

static void print_range(const char *start, const char *end)
{
    if (start == NULL && end == NULL)
        return;
    fputs("<p>", stdout);
    if (start != NULL) {
        fputs("From ", stdout);
        print_name(start);
    }
    if (end != NULL) {
        fputs(start == NULL ? "To " : " to ", stdout);
        print_name(end);
    }
    puts("</p>");
}

static void print_row(const struct use_table *table, const char *name, const uint64_t *counts,
                      uint64_t total)
{
    fputs("<tr><th scope=\"row\">", stdout);
    print_name(name);
    fputs("</th>", stdout);
    for (size_t i = 0; i < use_table_columns(table); i++)
        printf("<td>%" PRIu64 "</td>", counts[i]);
    printf("<td>%" PRIu64 "</td></tr>\n", total);
}

void libq_html_print(const struct use_table *table, const char *start, const char *end)
{
    const char *by = table->by == USE_BY_WEEKDAY ? "weekday" : "month";
    uint64_t totals[USE_COLUMNS_MAX];
    printf("%s<title>Libraries by %s</title>\n</head>\n<body>\n<h1>Libraries by %s</h1>\n", head,
           by, by);
    print_range(start, end);
    fputs("<p>Lines of logs.</p>\n<table>\n<thead>\n<tr><th scope=\"col\">Library</th>", stdout);
    for (size_t i = 0; i < use_table_columns(table); i++) {
        printf("<th scope=\"col\">%s</th>", use_table_head(table, i));
        totals[i] = use_column_sum(table, i);
    }
    puts("<th scope=\"col\">Total</th></tr>\n</thead>\n<tbody>");
    for (size_t i = 0; i < table->rows; i++)
        print_row(table, table->row[i].library, table->row[i].count, use_row_sum(&table->row[i]));
    puts("</tbody>\n<tfoot>");
    print_row(table, "Total", totals, use_table_sum(table));
    puts("</tfoot>\n</table>\n</body>\n</html>");
}
