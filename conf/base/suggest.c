/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/suggest.h"

#include <string.h>
#include <strings.h>

#define WORD_MAX  32 /* no key or section is longer */
#define EDITS_MAX 2

static size_t least(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Levenshtein's distance, row by row; both words are at most WORD_MAX bytes long. */
static size_t distance(const char *a, const char *b)
{
    size_t columns = strlen(b);
    size_t row[WORD_MAX + 1];
    for (size_t j = 0; j <= columns; j++)
        row[j] = j;
    for (size_t i = 0; a[i] != '\0'; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < columns; j++) {
            size_t replaced = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = least(replaced, row[j] + 1, diagonal + 1);
        }
    }
    return row[columns];
}

const char *suggest(const char *word, const char *const *candidate, size_t count)
{
    const char *best = NULL;
    size_t length = strlen(word);
    size_t near = EDITS_MAX + 1;
    if (length > WORD_MAX)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        if (strlen(candidate[i]) > WORD_MAX)
            continue;
        size_t edits = strcasecmp(word, candidate[i]) == 0 ? 0 : distance(word, candidate[i]);
        if (edits < near && edits < length) {
            near = edits;
            best = candidate[i];
        }
    }
    return best;
}
