/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/hand_in/hand_in_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/json_end.h"
#include "submit/definition/record_facts.h"
#include "submit/record/json_add.h"
#include "submit/record/record.h"

enum { DEPTH_MAX = 16 };

static bool is_plain(const char *name)
{
    for (; *name != '\0'; name++)
        if ((unsigned char)*name < ' ' || *name == 0x7f)
            return false;
    return true;
}

bool hand_in_name_fits(const struct record_view *record, const char *user_name)
{
    char user[RECORD_USER_SIZE];
    record_plain_name(user_name, user, sizeof user);
    return is_plain(record->name) && record_name_is_sound(record->name) &&
           record->kind == RECORD_LINK && record->is_exact && record_word_is(record->user, user);
}

bool hand_in_is_line(const struct record_view *record)
{
    size_t size = record->length;
    if (size < 2 || record->text[0] != '{' || record->text[size - 1] != '}')
        return false;
    for (size_t i = 0; i < size; i++)
        if ((signed char)record->text[i] < ' ') /* what is not ASCII is less, too */
            return false;
    return true;
}

bool hand_in_says(const struct record_view *record, const char *user_name, uid_t uid)
{
    static const char result[] = "resultT";
    char uuid[RECORD_UUID_SIZE + 2], number[16];
    struct json_object *name = json_bytes(text_bytes(user_name));
    char *user = record->uuid == NULL || name == NULL ? NULL : record_text(name);
    json_object_put(name);
    if (user == NULL)
        return false;
    snprintf(uuid, sizeof uuid, "\"%.*s\"", RECORD_UUID_SIZE - 1, record->uuid);
    snprintf(number, sizeof number, "%u", (unsigned)uid);
    const struct record_fact link[] = {
        {.table = result, .key = "uuid", .text = uuid},
        {.table = result, .key = "build_user", .text = user},
        {.table = "jobtrailT", .key = "uid", .text = number, .may_lack = 1}};
    struct record_facts *facts = record_facts_new(RECORD_LINK, link, 3);
    bool says = facts != NULL && record_facts_hold(facts, record->text, record->length);
    record_facts_free(facts);
    free(user);
    return says;
}

/* Not with a key twice, for example, of which one reader takes the first and another the last. */
static bool is_ours(struct json_object *record, const char *text)
{
    char *again = record_text(record);
    int same = again != NULL && strcmp(again, text) == 0;
    free(again);
    return same;
}

struct json_object *hand_in_parse(const char *text)
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
    if (record != NULL && is_ours(record, text))
        return record;
    json_object_put(record);
    return NULL;
}

bool hand_in_text_fits(const struct record_view *record, const char *user_name, uid_t uid)
{
    if (!hand_in_says(record, user_name, uid))
        return false;
    struct json_object *parsed = hand_in_parse(record->text);
    json_object_put(parsed);
    return parsed != NULL;
}
