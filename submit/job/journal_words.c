/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/job/journal_words.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spank/job_formats.h"

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* Decodes %XX in place; returns 0, or -EINVAL for a malformed or NUL one. */
static int decode(char *text)
{
    char *to = text;
    for (; *text != '\0'; text++) {
        if (*text != '%') {
            *to++ = *text;
            continue;
        }
        int high = hex_digit(text[1]);
        int low = high < 0 ? -1 : hex_digit(text[2]);
        if (low < 0 || (high == 0 && low == 0))
            return -EINVAL;
        *to++ = (char)(high << 4 | low);
        text += 2;
    }
    *to = '\0';
    return 0;
}

const char *journal_words_value(const struct journal_words *line, const char *key)
{
    size_t length = strlen(key);
    for (size_t i = 0; i < line->words; i++) {
        if (strncmp(line->word[i], key, length) == 0 && line->word[i][length] == '=')
            return line->word[i] + length + 1;
    }
    return NULL;
}

uint64_t journal_words_number(const struct journal_words *line, const char *key, uint64_t fallback)
{
    const char *value = journal_words_value(line, key);
    char *end;
    if (value == NULL || *value < '0' || *value > '9')
        return fallback;
    errno = 0;
    unsigned long long number = strtoull(value, &end, 10);
    return errno != 0 || *end != '\0' ? fallback : number;
}

uint32_t journal_words_number32(const struct journal_words *line, const char *key,
                                uint32_t fallback)
{
    uint64_t value = journal_words_number(line, key, fallback);
    return value > UINT32_MAX ? fallback : (uint32_t)value;
}

uint64_t journal_words_time(const struct journal_words *line, const char *key)
{
    const char *text = journal_words_value(line, key);
    char *end;
    if (text == NULL || *text < '0' || *text > '9')
        return 0;
    unsigned long long seconds = strtoull(text, &end, 10);
    if (*end != '.' || strspn(end + 1, "0123456789") != 9 || end[10] != '\0' ||
        seconds > UINT32_MAX * 4ull)
        return 0;
    return seconds * 1000000000u + strtoull(end + 1, NULL, 10);
}

int journal_words_cut(char *text, struct journal_words *line)
{
    char *rest, *word;
    const char mark[] = JOB_FORMATS_MARK;
    if (strncmp(text, mark, sizeof mark - 1) != 0)
        return -EINVAL;
    *line = (struct journal_words){.verb = strtok_r(text + sizeof mark - 1, " ", &rest)};
    while ((word = strtok_r(NULL, " ", &rest)) != NULL) {
        if (line->words == sizeof line->word / sizeof line->word[0] || decode(word) != 0)
            return -EINVAL;
        line->word[line->words++] = word;
    }
    line->time_ns = journal_words_time(line, "time");
    return line->verb == NULL || line->time_ns == 0 ? -EINVAL : 0;
}

struct journal_cpus journal_words_cpus(const char *text, long place)
{
    const struct journal_cpus none = {0};
    struct journal_cpus found = none;
    uint64_t sum = 0;
    bool is_same = true;
    while (text != NULL && *text != '\0') {
        char *end;
        unsigned long cpus = strtoul(text, &end, 10);
        unsigned long times = 1;
        if (strncmp(end, "(x", 2) == 0) {
            times = strtoul(end + 2, &end, 10);
            if (*end++ != ')')
                return none;
        }
        if (end == text || (*end != ',' && *end != '\0') || cpus > 65536 || times > 1000000)
            return none;
        is_same = sum == 0 || (is_same && found.each == cpus);
        found.each = (uint32_t)cpus;
        if (place >= 0 && (unsigned long)place < times)
            found.of_place = (uint32_t)cpus;
        place = place < 0 || (unsigned long)place < times ? -1 : place - (long)times;
        sum += (uint64_t)cpus * times;
        found.nodes += times;
        text = *end == ',' ? end + 1 : end;
    }
    if (sum > UINT32_MAX)
        return none;
    found.sum = (uint32_t)sum;
    if (!is_same)
        found.each = 0;
    return found;
}

uint32_t journal_words_count_list(const char *text)
{
    uint32_t count = text != NULL && *text != '\0';
    while (text != NULL && (text = strchr(text, ',')) != NULL) {
        text++;
        count++;
    }
    return count;
}

/* ---- Lists of nodes -------------------------------------------------------------------------- */

/* No list has as many nodes, nor a number as many digits. */
enum { NODES_MAX = 1 << 24, DIGITS_MAX = 9 };

/* Moves `*at` behind a number; `*digits` is how many it has. */
static bool take_number(const char **at, long *number, size_t *digits)
{
    *digits = strspn(*at, "0123456789");
    *number = 0;
    for (size_t i = 0; i < *digits && i < DIGITS_MAX; i++)
        *number = *number * 10 + ((*at)[i] - '0');
    *at += *digits;
    return *digits > 0 && *digits <= DIGITS_MAX;
}

/* The brackets that `*at` stands behind: how many numbers they have, and which of them `*name`
 * begins with, or -1; moves both behind. A width of zeros is that of the first number: 08-10 has
 * 08, 09 and 10. */
static bool take_brackets(const char **at, const char **name, long *count, long *place)
{
    const char *begin = *name;
    *count = 0;
    *place = -1;
    for (;;) {
        long first, last;
        size_t width, more;
        char text[DIGITS_MAX + 2];
        if (!take_number(at, &first, &width))
            return false;
        last = first;
        if (**at == '-' && (++*at, !take_number(at, &last, &more) || last < first))
            return false;
        const char *end = begin;
        long number;
        if (*place < 0 && take_number(&end, &number, &more) && number >= first && number <= last &&
            snprintf(text, sizeof text, "%0*ld", (int)width, number) == (int)more &&
            strncmp(text, begin, more) == 0) {
            *place = *count + number - first;
            *name = end;
        }
        *count += last - first + 1;
        if (*count > NODES_MAX)
            return false;
        if (**at == ']') {
            ++*at;
            return true;
        }
        if (*(*at)++ != ',')
            return false;
    }
}

/* One name with brackets or without: how many nodes it is, and the place of `node` among them, or
 * -1. The last brackets vary fastest. */
static bool take_names(const char **at, const char *node, long *count, long *place)
{
    bool is_it = true;
    *count = 1;
    *place = 0;
    while (**at != '\0' && **at != ',') {
        if (**at == ']')
            return false;
        if (**at != '[') {
            is_it = is_it && *node == **at;
            node += is_it;
            ++*at;
            continue;
        }
        long own_count, own_place;
        ++*at;
        if (!take_brackets(at, &node, &own_count, &own_place) || *count * own_count > NODES_MAX)
            return false;
        is_it = is_it && own_place >= 0;
        *place = *place * own_count + own_place;
        *count *= own_count;
    }
    if (!is_it || *node != '\0')
        *place = -1;
    return true;
}

long node_list_find(const char *list, const char *node)
{
    long before = 0, found = -1;
    for (const char *at = list; found < 0;) {
        long count, place;
        if (*at == '\0' || *at == ',' || !take_names(&at, node, &count, &place))
            return -1;
        if (place >= 0)
            found = before + place;
        before += count;
        if (before > NODES_MAX || (*at != ',' && found < 0))
            return -1;
        at += *at == ',';
    }
    return found;
}

long node_list_count(const char *list)
{
    long nodes = 0;
    for (const char *at = list;; at++) {
        long count, place;
        if (*at == '\0' || *at == ',' || !take_names(&at, "", &count, &place))
            return -1;
        nodes += count;
        if (nodes > NODES_MAX)
            return -1;
        if (*at == '\0')
            return nodes;
    }
}
