/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/job/journal_words.h"

#include <errno.h>
#include <stdbool.h>
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
