/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/parse/ancestor_pids.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DIGITS 18

/* As a key only: within a string its quotes would be escaped. */
static const char pid_key[] = "\"pid\":";

/* What is read and what is written, which may be one longer for each percent sign. */
struct split {
    const char *from, *end;
    char *start, *to;
    char *pids, *pids_to;
    const char *job; /* digits; NULL when not known */
};

static void take_digits(struct split *split, size_t digits)
{
    bool is_job = split->job != NULL && strlen(split->job) == digits &&
                  memcmp(split->job, split->from, digits) == 0;
    size_t size = strlen(pid_key);
    bool is_pid = digits <= MAX_DIGITS && split->to - split->start >= (ptrdiff_t)size &&
                  memcmp(split->to - size, pid_key, size) == 0;
    if (is_pid) {
        bool is_first = split->pids_to == split->pids;
        *split->pids_to++ = is_first ? '[' : ',';
        split->pids_to = (char *)memcpy(split->pids_to, split->from, digits) + digits;
        *split->to++ = '0';
    } else if (is_job)
        split->to = (char *)memcpy(split->to, "%j", 2) + 2;
    else
        split->to = (char *)memcpy(split->to, split->from, digits) + digits;
    split->from += digits;
}

static void split_all(struct split *split)
{
    while (split->from < split->end) {
        size_t digits = 0;
        while (split->from + digits < split->end && split->from[digits] >= '0' &&
               split->from[digits] <= '9')
            digits++;
        if (digits > 0) {
            take_digits(split, digits);
            continue;
        }
        if (*split->from == '%')
            *split->to++ = '%';
        *split->to++ = *split->from++;
    }
    *split->to = '\0';
}

/* Room for a percent sign before each, and for two characters in the place of a digit; what goes to
 * the pids had a longer key before it. */
int ancestor_pids_split(struct json_slice slice, const char *job, char **text, char **pids)
{
    struct split split = {.from = slice.at, .end = slice.at + slice.size, .job = job};
    *text = split.start = split.to = malloc(2 * slice.size + 1);
    *pids = split.pids = split.pids_to = malloc(slice.size + 2);
    if (*text == NULL || *pids == NULL)
        return -ENOMEM;
    split_all(&split);
    if (split.pids_to == split.pids) {
        free(*pids);
        *pids = NULL;
        return 0;
    }
    memcpy(split.pids_to, "]", 2);
    return 0;
}
