/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/libq/libq_html.h"

#include <inttypes.h>
#include <stdio.h>

#include "conf/base/cleanup.h"
#include "contrib/libraries/libq/libq_output.h"

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
