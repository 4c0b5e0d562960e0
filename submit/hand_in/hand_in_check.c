/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/hand_in/hand_in_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/json_pairs.h"
#include "submit/definition/record_facts.h"
#include "submit/definition/record_name.h"
#include "submit/record/json_add.h"
#include "submit/record/record.h"

enum { DEPTH_MAX = 16 };

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
    if (!is_plain(name) || !record_name_is_sound(name) || record_name_parse(name, &parsed) != 0 ||
        strcmp(parsed.kind, record_kind_name(RECORD_LINK)) != 0)
        return 0;
    const char *rest = after_date(name);
    record_plain_name(user_name, user, sizeof user);
    size_t length = strlen(user), id = strlen(parsed.uuid);
    if (strncmp(rest, user, length) != 0 || rest[length] != '.' ||
        strncmp(rest + length + 1, parsed.uuid, id) != 0)
        return 0;
    return strcmp(rest + length + 1 + id, ".json") == 0;
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

/* In quotes, malloc'ed; NULL when out of memory. */
static char *as_json(const char *text)
{
    struct json_object *string =
        json_bytes((struct capture_bytes){.at = text, .size = strlen(text)});
    char *json = string == NULL ? NULL : record_text(string);
    json_object_put(string);
    return json;
}

int hand_in_says(const char *name, const char *user_name, const char *text, size_t size)
{
    static const char result[] = "resultT";
    struct record_name parsed;
    char uuid[RECORD_UUID_SIZE + 2];
    char *user = as_json(user_name);
    if (user == NULL || record_name_parse(name, &parsed) != 0) {
        free(user);
        return 0;
    }
    snprintf(uuid, sizeof uuid, "\"%s\"", parsed.uuid);
    const struct record_fact link[] = {{result, "uuid", uuid, 0}, {result, "build_user", user, 0}};
    struct record_facts *facts = record_facts_new(RECORD_LINK, link, 2);
    int says = facts != NULL && record_facts_hold(facts, text, size);
    record_facts_free(facts);
    free(user);
    return says;
}

/* Not with a key twice, for example, of which one reader takes the first and another the last. */
static int is_ours(struct json_object *record, const char *text)
{
    char *again = record_text(record);
    int same = again != NULL && strcmp(again, text) == 0;
    free(again);
    return same;
}

static struct json_object *parse(const char *text)
{
    struct json_tokener *tokener = json_tokener_new_ex(DEPTH_MAX);
    char *joined = strdup(text);
    struct json_object *record = NULL;
    if (tokener != NULL && joined != NULL) {
        json_pairs_join(joined, strlen(joined));
        record = json_tokener_parse_ex(tokener, joined, -1);
    }
    free(joined);
    if (tokener != NULL)
        json_tokener_free(tokener);
    return record;
}

struct json_object *hand_in_parse(const char *text)
{
    struct json_object *record = parse(text);
    if (record != NULL && is_ours(record, text))
        return record;
    json_object_put(record);
    return NULL;
}

int hand_in_text_fits(const char *name, const char *user_name, const char *text)
{
    if (!hand_in_says(name, user_name, text, strlen(text)))
        return 0;
    struct json_object *record = hand_in_parse(text);
    json_object_put(record);
    return record != NULL;
}
