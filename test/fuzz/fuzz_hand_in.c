/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a flush looks at of a record that a user hands in: "NAME USER\nTEXT".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "submit/definition/record_view.h"
#include "submit/hand_in/hand_in_check.h"
#include "submit/hand_in/hand_in_read.h"
#include "submit/record/record.h"
#include "test/fuzz/fuzz.h"

/* Whatever a link says, it gets a name and a text of this user, or stays as it is. */
static void adopt(const char *name, const char *user, const char *text)
{
    char adopted[RECORD_NAME_MAX];
    struct built_record record = {.text = strdup(text), .length = strlen(text)};
    if (hand_in_adopt_name(name, user, adopted)) {
        const struct record_view renamed = record_view(adopted, "", 0);
        if (!hand_in_name_fits(&renamed, user))
            abort();
    }
    if (record.text == NULL || hand_in_adopt_text(user, 1000, &record) != 0 ||
        record.length != strlen(record.text))
        abort();
    struct json_object *before = hand_in_parse(text), *after = hand_in_parse(record.text);
    if ((before == NULL) != (after == NULL))
        abort();
    json_object_put(before);
    json_object_put(after);
    record_free(&record);
}

static void check(const char *name, const char *user, const char *text)
{
    const struct record_view record = record_view(name, text, strlen(text));
    char part[RECORD_USER_SIZE + 2] = ".", uuid[RECORD_UUID_SIZE];
    if (!hand_in_name_fits(&record, user))
        return;
    record_plain_name(user, part + 1, RECORD_USER_SIZE);
    strcat(part, ".");
    if (record.uuid == NULL || strchr(name, '/') != NULL || strstr(name, part) == NULL ||
        strncmp(name, "link.", 5) != 0)
        abort();
    snprintf(uuid, sizeof uuid, "%s", record.uuid);
    if (hand_in_is_line(&record) && hand_in_text_fits(&record, user, 1000) &&
        strstr(text, uuid) == NULL)
        abort();
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    char *name = calloc(size + 1, 1);
    if (name == NULL)
        abort();
    memcpy(name, data, size);
    char *text = strchr(name, '\n');
    char *user = strchr(name, ' ');
    if (text != NULL && user != NULL && user < text) {
        *text++ = '\0';
        *user++ = '\0';
        check(name, user, text);
        adopt(name, user, text);
    }
    free(name);
    return 0;
}
