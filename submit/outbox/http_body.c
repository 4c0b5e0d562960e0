/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/outbox/http_body.h"

#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATUS_CONFLICT = 409 };

/* Of Splunk's HTTP Event Collector. */
enum {
    SPLUNK_INCORRECT_INDEX = 7,
    SPLUNK_NO_CHANNEL = 10,
    SPLUNK_INVALID_CHANNEL = 11,
    SPLUNK_ACK_DISABLED = 14,
};

enum http_format http_format_of(const char *name)
{
    return strcmp(name, "bulk") == 0     ? HTTP_BULK
           : strcmp(name, "splunk") == 0 ? HTTP_SPLUNK
                                         : HTTP_JSON;
}

static void open_item(FILE *body, enum http_format format, const struct record_view *record)
{
    char key[RECORD_KEY_SIZE];
    if (format == HTTP_BULK)
        fprintf(body, "{\"create\":{\"_id\":\"%s\"}}\n",
                record_view_key(record, key) ? key : record->name);
    else if (format == HTTP_SPLUNK)
        fprintf(body,
                "{\"source\":\"jobtrail\",\"sourcetype\":\"jobtrail:%.*s\",\"host\":\"%.*s\","
                "\"event\":",
                (int)record->kind_word.length, record->kind_word.at, (int)record->syshost.length,
                record->syshost.at);
}

static void write_body(FILE *body, enum http_format format, struct transport_item *const items[],
                       size_t count)
{
    int array = format == HTTP_JSON && count != 1;
    if (array)
        fputs("[", body);
    for (size_t i = 0; i < count; i++) {
        if (array && i > 0)
            fputs(",", body);
        open_item(body, format, &items[i]->record);
        fwrite(items[i]->record.text, 1, items[i]->record.length, body);
        if (format == HTTP_SPLUNK)
            fputs("}\n", body);
        else if (format == HTTP_BULK)
            fputs("\n", body);
    }
    if (array)
        fputs("]", body);
}

char *http_body(enum http_format format, struct transport_item *const items[], size_t count,
                size_t *size)
{
    char *text = NULL;
    FILE *body = open_memstream(&text, size);
    if (body == NULL)
        return NULL;
    write_body(body, format, items, count);
    int failed = ferror(body);
    if (fclose(body) == 0 && !failed)
        return text;
    free(text);
    return NULL;
}

int http_status_refuses(long status)
{
    return status == 400 || status == 413 || status == 415 || status == 422;
}

static void set_outcome(struct transport_item *item, struct json_object *answer)
{
    struct json_object *result, *status, *error;
    if (!json_object_object_get_ex(answer, "create", &result) ||
        !json_object_object_get_ex(result, "status", &status))
        return;
    int code = json_object_get_int(status);
    if ((code >= 200 && code < 300) || code == STATUS_CONFLICT) {
        item->outcome = TRANSPORT_ACCEPTED;
    } else if (http_status_refuses(code)) {
        item->outcome = TRANSPORT_REFUSED;
        int told = json_object_object_get_ex(result, "error", &error);
        snprintf(item->why, sizeof item->why, "status %d: %s", code,
                 told ? json_object_to_json_string_ext(error, JSON_C_TO_STRING_PLAIN)
                      : "no reason");
    }
}

static struct json_object *parse_answer(const char *text, size_t size)
{
    struct json_tokener *tokener = json_tokener_new();
    struct json_object *parsed =
        tokener == NULL ? NULL : json_tokener_parse_ex(tokener, text, (int)size);
    if (tokener != NULL)
        json_tokener_free(tokener);
    return parsed;
}

int http_splunk_refuses(const char *answer, size_t size)
{
    struct json_object *parsed = parse_answer(answer, size), *code;
    int number = json_object_is_type(parsed, json_type_object) &&
                         json_object_object_get_ex(parsed, "code", &code)
                     ? json_object_get_int(code)
                     : 0;
    json_object_put(parsed);
    return number != SPLUNK_INCORRECT_INDEX && number != SPLUNK_NO_CHANNEL &&
           number != SPLUNK_INVALID_CHANNEL && number != SPLUNK_ACK_DISABLED;
}

int http_is_receivers(enum http_format format, const char *answer, size_t size)
{
    struct json_object *parsed = parse_answer(answer, size), *found;
    bool has = json_object_is_type(parsed, json_type_object);
    if (has && format == HTTP_SPLUNK)
        has = json_object_object_get_ex(parsed, "code", &found) &&
              json_object_is_type(found, json_type_int);
    else if (has && format == HTTP_BULK)
        has = json_object_object_get_ex(parsed, "error", &found);
    json_object_put(parsed);
    return has || format == HTTP_JSON;
}

int http_splunk_number(const char *answer, size_t size, uint64_t *number)
{
    struct json_object *parsed = parse_answer(answer, size), *found;
    int has = json_object_is_type(parsed, json_type_object) &&
              json_object_object_get_ex(parsed, "ackId", &found) &&
              json_object_is_type(found, json_type_int) && json_object_get_int64(found) >= 0;
    if (has)
        *number = (uint64_t)json_object_get_int64(found);
    json_object_put(parsed);
    return has;
}

int http_splunk_acknowledges(const char *answer, size_t size, uint64_t number)
{
    char key[24];
    struct json_object *parsed = parse_answer(answer, size), *acks, *found;
    snprintf(key, sizeof key, "%" PRIu64, number);
    int acknowledged = json_object_is_type(parsed, json_type_object) &&
                       json_object_object_get_ex(parsed, "acks", &acks) &&
                       json_object_is_type(acks, json_type_object) &&
                       json_object_object_get_ex(acks, key, &found) &&
                       json_object_is_type(found, json_type_boolean) &&
                       json_object_get_boolean(found);
    json_object_put(parsed);
    return acknowledged;
}

int http_bulk_answer(const char *answer, size_t size, struct transport_item *const items[],
                     size_t count)
{
    struct json_object *parsed = parse_answer(answer, size), *results;
    int error = -EPROTO;
    if (json_object_is_type(parsed, json_type_object) &&
        json_object_object_get_ex(parsed, "items", &results) &&
        json_object_is_type(results, json_type_array) &&
        json_object_array_length(results) == count) {
        for (size_t i = 0; i < count; i++)
            set_outcome(items[i], json_object_array_get_idx(results, i));
        error = 0;
    }
    json_object_put(parsed);
    return error;
}
