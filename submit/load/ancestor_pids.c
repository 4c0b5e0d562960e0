/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ancestor_pids.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DIGITS 18

/* As a key only: within a string its quotes would be escaped. */
static const char pid_key[] = "\"pid\":";

/* What is read and what is written, which may be one longer for each percent sign. */
struct split {
    const char *from;
    char *start, *to;
    const char *job; /* digits; NULL when not known */
    struct json_object *pids;
};

static bool ends_with_key(const struct split *split)
{
    size_t size = strlen(pid_key);
    return split->to - split->start >= (ptrdiff_t)size &&
           memcmp(split->to - size, pid_key, size) == 0;
}

static int take_pid(struct split *split, size_t digits)
{
    struct json_object *pid = json_object_new_int64(atoll(split->from));
    if (pid == NULL || json_object_array_add(split->pids, pid) != 0)
        return -ENOMEM;
    split->from += digits;
    *split->to++ = '0';
    return 0;
}

static int take_digits(struct split *split, size_t digits)
{
    bool is_job = split->job != NULL && strlen(split->job) == digits &&
                  memcmp(split->job, split->from, digits) == 0;
    if (digits <= MAX_DIGITS && ends_with_key(split))
        return take_pid(split, digits);
    if (is_job)
        split->to = (char *)memcpy(split->to, "%j", 2) + 2;
    else
        split->to = (char *)memcpy(split->to, split->from, digits) + digits;
    split->from += digits;
    return 0;
}

static int split_all(struct split *split)
{
    while (*split->from != '\0') {
        size_t digits = strspn(split->from, "0123456789");
        if (digits > 0) {
            if (take_digits(split, digits) != 0)
                return -ENOMEM;
            continue;
        }
        if (*split->from == '%')
            *split->to++ = '%';
        *split->to++ = *split->from++;
    }
    *split->to = '\0';
    return 0;
}

/* Room for a percent sign before each, and for two characters in the place of a digit. */
static int split_text(const char *text, const char *job, char **out, struct json_object *pids)
{
    char *room = malloc(2 * strlen(text) + 1);
    if (room == NULL)
        return -ENOMEM;
    struct split split = {.from = text, .start = room, .to = room, .job = job, .pids = pids};
    *out = room;
    return split_all(&split);
}

int ancestor_pids_split(struct json_slice slice, const char *job, char **text,
                        struct json_object *owner, const char **pids)
{
    struct json_object *array = json_object_new_array();
    char *copy = strndup(slice.at, slice.size);
    int error =
        copy == NULL || array == NULL || json_object_object_add(owner, "ancestor_pids", array) != 0
            ? -ENOMEM
            : split_text(copy, job, text, array);
    if (error == 0 && json_object_array_length(array) > 0)
        *pids = json_object_to_json_string_ext(array, JSON_C_TO_STRING_PLAIN);
    free(copy);
    return error;
}
