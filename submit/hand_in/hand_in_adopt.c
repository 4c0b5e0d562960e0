/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/hand_in/hand_in_adopt.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "submit/hand_in/hand_in_check.h"
#include "submit/record/json_add.h"

bool hand_in_adopt_name(const char *name, const char *user_name, char adopted[RECORD_NAME_MAX])
{
    char user[RECORD_USER_SIZE];
    const struct record_view record = record_view(name, "", 0);
    if (record.kind != RECORD_LINK || !record.is_exact || hand_in_name_fits(&record, user_name))
        return false;
    record_plain_name(user_name, user, sizeof user);
    int length = snprintf(adopted, RECORD_NAME_MAX, "%.*s%s.%s", (int)(record.user.at - name), name,
                          user, record.uuid);
    if (length >= RECORD_NAME_MAX)
        return false;
    const struct record_view renamed = record_view(adopted, "", 0);
    return hand_in_name_fits(&renamed, user_name);
}

static struct json_object *find_builder(struct json_object *record, struct json_object **result)
{
    struct json_object *name;
    return json_object_object_get_ex(record, "resultT", result) &&
                   json_object_object_get_ex(*result, "build_user", &name) &&
                   json_object_is_type(name, json_type_string)
               ? name
               : NULL;
}

static bool is_text(struct json_object *string, const char *text)
{
    size_t length = (size_t)json_object_get_string_len(string); /* of NULs too */
    return strlen(text) == length && memcmp(json_object_get_string(string), text, length) == 0;
}

static int replace_builder(struct json_object *record, struct json_object *result,
                           const char *user_name, struct built_record *adopted)
{
    struct json_object *crc;
    json_object_object_add(result, "build_user", json_bytes(text_bytes(user_name)));
    if (strncmp(adopted->text, "{\"crc\":\"", 8) == 0 &&
        json_object_object_get_ex(record, "crc", &crc)) {
        json_object_set_string(crc, "0xFFFF");
        return record_finish(record, adopted);
    }
    adopted->text = record_text(record);
    adopted->length = adopted->text == NULL ? 0 : strlen(adopted->text);
    return adopted->text == NULL ? -ENOMEM : 0;
}

int hand_in_adopt_text(const char *user_name, struct built_record *record)
{
    struct json_object *result, *parsed = hand_in_parse(record->text), *name;
    struct built_record adopted = *record;
    int error = 0;
    name = parsed == NULL ? NULL : find_builder(parsed, &result);
    if (name != NULL && !is_text(name, user_name)) {
        error = replace_builder(parsed, result, user_name, &adopted);
        if (error == 0) {
            record_free(record);
            *record = adopted;
        }
    }
    json_object_put(parsed);
    return error;
}
