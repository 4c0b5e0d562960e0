/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/job/core_set.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Moves `*at` behind a number below CORE_SET_MAX. */
static bool take_number(const char **at, uint32_t *number)
{
    const char *digit = *at;
    uint32_t found = 0;
    for (; *digit >= '0' && *digit <= '9' && found < CORE_SET_MAX; digit++)
        found = found * 10 + (uint32_t)(*digit - '0');
    bool is_number = digit != *at && found < CORE_SET_MAX;
    *number = found;
    *at = digit;
    return is_number;
}

/* Sets the bits of the list. Returns whether it is one. */
static bool take_list(const char *text, uint64_t words[CORE_SET_MAX / 64])
{
    for (;;) {
        uint32_t first, last;
        if (!take_number(&text, &first))
            return false;
        last = first;
        if (*text == '-' && (text++, !take_number(&text, &last) || last < first))
            return false;
        for (uint32_t core = first; core <= last; core++)
            words[core / 64] |= UINT64_C(1) << core % 64;
        if (*text == '\0')
            return true;
        if (*text++ != ',')
            return false;
    }
}

int core_set_parse(const char *text, struct core_set *set)
{
    uint64_t words[CORE_SET_MAX / 64] = {0};
    struct core_set found = {.words = NULL};
    *set = found;
    if (text == NULL || !take_list(text, words))
        return 0;
    for (size_t i = 0; i < CORE_SET_MAX / 64; i++) {
        found.count += (uint32_t)__builtin_popcountll(words[i]);
        if (words[i] != 0)
            found.word_count = i + 1;
    }
    found.words = malloc(found.word_count * sizeof *found.words);
    if (found.words == NULL)
        return -ENOMEM;
    memcpy(found.words, words, found.word_count * sizeof *found.words);
    *set = found;
    return 0;
}

void core_set_free(struct core_set *set)
{
    free(set->words);
    *set = (struct core_set){.words = NULL};
}
