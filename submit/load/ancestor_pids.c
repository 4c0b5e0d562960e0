/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ancestor_pids.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DIGITS 18

/* As a key only: within a string its quotes would be escaped. */
static const char pid_key[] = "\"pid\":";

static int split(char *text, struct json_object *pids)
{
    char *to = text;
    for (const char *from = text; *from != '\0';) {
        *to++ = *from++;
        if (to - text < (ptrdiff_t)strlen(pid_key) ||
            memcmp(to - strlen(pid_key), pid_key, strlen(pid_key)) != 0)
            continue;
        from += strspn(from, " ");
        size_t digits = strspn(from, "0123456789");
        if (digits == 0 || digits > MAX_DIGITS)
            continue;
        struct json_object *pid = json_object_new_int64(atoll(from));
        if (pid == NULL || json_object_array_add(pids, pid) != 0)
            return -ENOMEM;
        from += digits;
        *to++ = '0';
    }
    *to = '\0';
    return 0;
}

int ancestor_pids_split(struct json_slice slice, char **text, struct json_object *owner,
                        const char **pids)
{
    struct json_object *array = json_object_new_array();
    char *copy = strndup(slice.at, slice.size);
    int error = copy == NULL || array == NULL ? -ENOMEM : split(copy, array);
    if (error == 0 && json_object_object_add(owner, "ancestor_pids", json_object_get(array)) != 0)
        error = -ENOMEM;
    if (error == 0) {
        *text = copy;
        if (json_object_array_length(array) > 0)
            *pids = json_object_to_json_string_ext(array, JSON_C_TO_STRING_PLAIN);
    } else {
        free(copy);
    }
    json_object_put(array);
    return error;
}
