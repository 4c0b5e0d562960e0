/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * xalt_record_begin() and the lists: whatever stands in XALT's columns, what is made of it is one
 * JSON object, and the loader takes it or names a value that is wrong.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "submit/load/parse/load_record.h"
#include "submit/load/parse/xalt_rows.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

/* The next text up to a NUL; NULL stands where it is one byte of 0xff. */
static struct value next_value(const char **at, const char *end)
{
    const char *from = *at;
    const char *nul = memchr(from, '\0', (size_t)(end - from));
    const char *stop = nul == NULL ? end : nul;
    *at = nul == NULL ? end : nul + 1;
    if (stop - from == 1 && *from == '\xff')
        return (struct value){.kind = VALUE_NULL};
    return (struct value){.kind = VALUE_TEXT, .text = from, .size = (size_t)(stop - from)};
}

static void add_lists(struct json_text *json, enum record_kind kind, const char **at,
                      const char *end)
{
    for (size_t i = 0; i < XALT_LISTS; i++) {
        if (xalt_lists[i].kind != kind)
            continue;
        xalt_list_begin(json, &xalt_lists[i]);
        for (int member = 0; member < 4 && *at < end; member++) {
            const struct value texts[] = {next_value(at, end), next_value(at, end)};
            xalt_list_add(json, &xalt_lists[i], member == 0, texts);
        }
        xalt_list_end(json, &xalt_lists[i]);
    }
}

static void read_as(size_t table, const char *at, const char *end)
{
    struct value row[XALT_COLUMNS_MAX];
    struct json_text json = {0};
    struct record record;
    struct load_reason reason;
    char *text;
    size_t size;
    for (size_t i = 0; i < XALT_COLUMNS_MAX; i++)
        row[i] = next_value(&at, end);
    if (row[XALT_ROW_REST].kind == VALUE_NULL) /* a record has one key */
        row[XALT_ROW_REST] = (struct value){.kind = VALUE_TEXT, .text = ""};
    xalt_record_begin(&json, &xalt_tables[table], row);
    add_lists(&json, xalt_tables[table].kind, &at, end);
    xalt_record_end(&json);
    if (json_text_take(&json, &text, &size) != 0)
        return;
    if (load_record(text, size, xalt_tables[table].kind, NULL, &record, &reason) == 0) {
        load_record_free(&record);
        return;
    }
    if (strstr(reason.text, "JSON") != NULL)
        abort();
    free(text);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    char *copy = malloc(size + 1); /* a text at its end has a byte behind it */
    if (copy == NULL)
        return 0;
    memcpy(copy, data, size);
    copy[size] = '\0';
    for (size_t table = 0; table < XALT_TABLES; table++)
        read_as(table, copy, copy + size);
    free(copy);
    return 0;
}
