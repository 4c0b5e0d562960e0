/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/parse/json_text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/grow.h"
#include "submit/load/parse/load_text.h"

void json_text_bytes(struct json_text *json, const char *bytes, size_t size)
{
    if (json->error != 0 || size == 0)
        return;
    if (json->size + size > LOAD_TEXT_MAX_BYTES)
        json->error = -EFBIG;
    else
        json->error = GROW_TO(json->text, json->room, json->size + size + 1);
    if (json->error != 0)
        return;
    memcpy(json->text + json->size, bytes, size);
    json->size += size;
}

void json_text_raw(struct json_text *json, const char *text)
{
    json_text_bytes(json, text, strlen(text));
}

void json_text_string(struct json_text *json, const char *bytes, size_t size)
{
    char escaped[sizeof "\\u0000"];
    size_t from = 0;
    json_text_raw(json, "\"");
    for (size_t at = 0; at < size; at++) {
        const unsigned char byte = (unsigned char)bytes[at];
        if (byte >= ' ' && byte != '"' && byte != '\\')
            continue;
        if (byte < ' ')
            snprintf(escaped, sizeof escaped, "\\u%04x", byte);
        else
            snprintf(escaped, sizeof escaped, "\\%c", byte);
        json_text_bytes(json, bytes + from, at - from);
        json_text_raw(json, escaped);
        from = at + 1;
    }
    json_text_bytes(json, bytes + from, size - from);
    json_text_raw(json, "\"");
}

void json_text_number(struct json_text *json, double number)
{
    char text[32];
    snprintf(text, sizeof text, "%.17g", number);
    json_text_raw(json, isfinite(number) ? text : "null");
}

int json_text_take(struct json_text *json, char **text, size_t *size)
{
    int error = json->error;
    json_text_bytes(json, "", 1);
    if (error == 0)
        error = json->error;
    if (error != 0) {
        json_text_free(json);
        return error;
    }
    *text = json->text;
    *size = json->size - 1;
    *json = (struct json_text){0};
    return 0;
}

void json_text_free(struct json_text *json)
{
    free(json->text);
    *json = (struct json_text){0};
}
