/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hand_in_check.h"

#include <stdlib.h>
#include <string.h>

#include "record.h"
#include "record_name.h"

enum { DEPTH_MAX = 16, HASH_DIGITS = 12 };

/* The part after "KIND.SYSHOST.DATE.", or NULL. */
static const char *after_date(const char *name)
{
    for (int i = 0; i < 3 && name != NULL; i++) {
        name = strchr(name, '.');
        name = name == NULL ? NULL : name + 1;
    }
    return name;
}

static int is_plain(const char *name)
{
    for (; *name != '\0'; name++)
        if ((unsigned char)*name < ' ' || *name == 0x7f)
            return 0;
    return 1;
}

int hand_in_name_fits(const char *name, const char *user_name)
{
    struct record_name parsed;
    char user[RECORD_USER_SIZE];
    if (!is_plain(name) || !record_name_is_sound(name) || record_name_parse(name, &parsed) != 0)
        return 0;
    const char *rest = after_date(name);
    record_plain_name(user_name, user, sizeof user);
    size_t length = strlen(user), id = strlen(parsed.uuid);
    if (strncmp(rest, user, length) != 0 || rest[length] != '.' ||
        strncmp(rest + length + 1, parsed.uuid, id) != 0)
        return 0;
    rest += length + 1 + id;
    if (strcmp(parsed.kind, "link") == 0)
        return strcmp(rest, ".json") == 0;
    return strcmp(parsed.kind, "pkg") == 0 && rest[0] == '.' &&
           strspn(rest + 1, "0123456789abcdef") == HASH_DIGITS &&
           strcmp(rest + 1 + HASH_DIGITS, ".json") == 0;
}

int hand_in_is_line(const char *text, size_t size)
{
    if (size < 2 || text[0] != '{' || text[size - 1] != '}')
        return 0;
    for (size_t i = 0; i < size; i++)
        if ((signed char)text[i] < ' ') /* what is not ASCII is less, too */
            return 0;
    return 1;
}

static int is_string(struct json_object *table, const char *key, const char *text)
{
    struct json_object *value;
    return json_object_object_get_ex(table, key, &value) &&
           json_object_is_type(value, json_type_string) &&
           (size_t)json_object_get_string_len(value) == strlen(text) &&
           strcmp(json_object_get_string(value), text) == 0;
}

static int tells(struct json_object *record, const struct record_name *name, const char *user_name)
{
    struct json_object *table;
    if (strcmp(name->kind, "link") == 0)
        return json_object_object_get_ex(record, "resultT", &table) &&
               is_string(table, "uuid", name->uuid) && is_string(table, "build_user", user_name);
    return is_string(record, "xalt_run_uuid", name->uuid);
}

/* Not with a key twice, for example, of which one reader takes the first and another the last. */
static int is_ours(struct json_object *record, const char *text)
{
    char *again = record_text(record);
    int same = again != NULL && strcmp(again, text) == 0;
    free(again);
    return same;
}

struct json_object *hand_in_parse(const char *text)
{
    struct json_tokener *tokener = json_tokener_new_ex(DEPTH_MAX);
    if (tokener == NULL)
        return NULL;
    struct json_object *record = json_tokener_parse_ex(tokener, text, -1);
    json_tokener_free(tokener);
    if (record != NULL && is_ours(record, text))
        return record;
    json_object_put(record);
    return NULL;
}

int hand_in_text_fits(const char *name, const char *user_name, const char *text)
{
    struct record_name parsed;
    struct json_object *record = hand_in_parse(text);
    int fits = record != NULL && record_name_parse(name, &parsed) == 0 &&
               tells(record, &parsed, user_name);
    json_object_put(record);
    return fits;
}
