/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A probability is kept as the fraction of two whole numbers that its text is, so that what is
 * compiled from it is exact.
 */
#include "conf/conf_sampling.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/grow.h"

#define DIGITS_MAX 9           /* of a number */
#define FROM_MAX_S 1000000000u /* 31 years */

#define FIELD(name) offsetof(struct conf, name)

const struct conf_table conf_tables[CONF_TABLES] = {
    {"scalar", FIELD(scalar), POLICY_SCALAR},
    {"mpi", FIELD(mpi), POLICY_MPI},
};

/* TACC's figures, per table. */
static const char *const default_intervals[CONF_TABLES][3] = {
    {"0 1:10000", "30m 1:100", "2h 1"},
    {"0 1:10000", "15m 1:100", "30m 1"},
};

static const char *const form = "write FROM PROBABILITY, for example: 30m 0.01";
static const char *const time_form = "write whole seconds, or a whole number with s, m or h";

const struct conf_table *conf_table_find(const char *section, const char *name)
{
    if (strcmp(section, CONF_SAMPLING_SECTION) != 0)
        return NULL;
    for (size_t i = 0; i < CONF_TABLES; i++)
        if (strcmp(conf_tables[i].name, name) == 0)
            return &conf_tables[i];
    return NULL;
}

static struct conf_intervals *intervals_of(const struct conf_table *table, struct conf *conf)
{
    return (struct conf_intervals *)(void *)((char *)conf + table->offset);
}

const struct conf_intervals *conf_table_intervals(const struct conf_table *table,
                                                  const struct conf *conf)
{
    return (const struct conf_intervals *)(const void *)((const char *)conf + table->offset);
}

/* Appends the digits at text[*at] to `*number`, multiplying `*scale` by 10 for each, and moves
 * `*at` past them. Returns how many there are, up to DIGITS_MAX + 1. */
static unsigned take_digits(const char *text, size_t *at, uint64_t *number, uint64_t *scale)
{
    unsigned digits = 0;
    for (; isdigit((unsigned char)text[*at]) && digits <= DIGITS_MAX; digits++) {
        *number = *number * 10 + (uint64_t)(text[(*at)++] - '0');
        *scale *= 10;
    }
    return digits;
}

static int parse_from(const char *text, size_t *at, uint64_t *from_s, struct conf_fault *fault)
{
    uint64_t seconds = 0, scale = 1;
    unsigned digits = take_digits(text, at, &seconds, &scale);
    if (digits == 0 || digits > DIGITS_MAX)
        return conf_fault(fault, 0, "not a time", time_form);
    switch (text[*at]) {
    case 'h':
        seconds *= 3600;
        ++*at;
        break;
    case 'm':
        seconds *= 60;
        ++*at;
        break;
    case 's':
        ++*at;
        break;
    default:
        break;
    }
    if (text[*at] != '\0' && !isblank((unsigned char)text[*at]))
        return conf_fault(fault, *at, "not a time", time_form);
    if (seconds > FROM_MAX_S)
        return conf_fault(fault, 0, "more than 10^9 seconds", time_form);
    *from_s = seconds;
    return 0;
}

static int parse_interval(const char *text, struct conf_interval *interval,
                          struct conf_fault *fault)
{
    size_t at = 0;
    int error = parse_from(text, &at, &interval->from_s, fault);
    if (error != 0)
        return error;
    at += strspn(text + at, " \t");
    if (text[at] == '\0')
        return conf_fault(fault, at, "no probability after the time", form);
    /* "0.01", "1" or "1:100" at text + at, to the text's end. */
    static const char *const hint = "write a decimal above 0 and up to 1, or 1:N for one in N runs";
    size_t start = at;
    uint64_t above = 0, below = 1, ignored = 1;
    unsigned digits = take_digits(text, &at, &above, &ignored);
    if (digits == 0 || digits > DIGITS_MAX)
        return conf_fault(fault, start, "not a probability", hint);
    bool is_ratio = text[at] == ':';
    if (text[at] == '.') {
        at++;
        digits = take_digits(text, &at, &above, &below);
    } else if (is_ratio) {
        at++;
        below = 0;
        digits = take_digits(text, &at, &below, &ignored);
    }
    if (digits == 0 || digits > DIGITS_MAX || text[at] != '\0' || (is_ratio && above != 1))
        return conf_fault(fault, start, "not a probability", hint);
    if (above == 0)
        return conf_fault(fault, start, "a probability of 0",
                          "every run needs a chance, as reports weigh by it; write 1:1000000");
    if (below == 0 || above > below)
        return conf_fault(fault, start, "a probability above 1", hint);
    interval->above = above;
    interval->below = below;
    return 0;
}

static int check_order(const struct conf_intervals *intervals, const struct conf_interval *interval,
                       struct conf_fault *fault)
{
    size_t count = intervals->count;
    if (count == 0 && interval->from_s != 0)
        return conf_fault(fault, 0, "the first interval does not start at 0",
                          "short runs need a probability, too; start with 0");
    if (count > 0 && interval->from_s <= intervals->interval[count - 1].from_s)
        return conf_fault(fault, 0, "not later than the interval before",
                          "list them in ascending order");
    if (count == POLICY_INTERVALS_MAX)
        return conf_fault(fault, 0, "more than 16 intervals", "join some of them");
    return 0;
}

int conf_table_append(const struct conf_table *table, struct conf *conf, const char *text,
                      unsigned line, struct conf_fault *fault)
{
    struct conf_intervals *intervals = intervals_of(table, conf);
    struct conf_interval interval = {.line = line};
    int error = parse_interval(text, &interval, fault);
    if (error == 0)
        error = check_order(intervals, &interval, fault);
    if (error != 0)
        return error;
    if (GROW(intervals->interval, intervals->count) != 0)
        return -ENOMEM;
    intervals->interval[intervals->count++] = interval;
    return 0;
}

/* A decimal where `below` is a power of ten, "1:N" otherwise. */
static void print_probability(const struct conf_interval *interval, char *text, size_t size)
{
    const int most_places = 9;
    uint64_t above = interval->above, below = interval->below;
    int places = 0;
    for (; below % 10 == 0; below /= 10)
        places++;
    for (; places > 0 && above % 10 == 0; above /= 10)
        places--;
    if (below != 1)
        snprintf(text, size, "1:%" PRIu64, interval->below);
    else if (places == 0)
        snprintf(text, size, "1");
    else
        snprintf(text, size, "0.%0*" PRIu64, places < most_places ? places : most_places, above);
}

void conf_interval_print(const struct conf_interval *interval, char *text, size_t size)
{
    static const struct {
        uint64_t seconds;
        const char *suffix;
    } units[] = {{3600, "h"}, {60, "m"}, {1, "s"}};
    char probability[32];
    size_t unit = 0;
    print_probability(interval, probability, sizeof probability);
    while (interval->from_s % units[unit].seconds != 0)
        unit++;
    snprintf(text, size, "%" PRIu64 "%s %s", interval->from_s / units[unit].seconds,
             interval->from_s == 0 ? "" : units[unit].suffix, probability);
}

struct policy_interval conf_interval_compile(const struct conf_interval *interval)
{
    unsigned __int128 values = ((unsigned __int128)interval->above << 64) / interval->below;
    return (struct policy_interval){
        .from_ns = interval->from_s * UINT64_C(1000000000),
        .threshold = (uint64_t)(values - 1),
        .probability = (double)interval->above / (double)interval->below,
    };
}

int conf_tables_default(struct conf *conf)
{
    struct conf_fault fault;
    for (size_t i = 0; i < CONF_TABLES; i++) {
        if (conf_table_intervals(&conf_tables[i], conf)->count > 0)
            continue;
        for (size_t k = 0; k < sizeof default_intervals[i] / sizeof *default_intervals[i]; k++)
            if (conf_table_append(&conf_tables[i], conf, default_intervals[i][k], 0, &fault) != 0)
                return -ENOMEM; /* the defaults are good */
    }
    return 0;
}

void conf_tables_free(struct conf *conf)
{
    for (size_t i = 0; i < CONF_TABLES; i++)
        free(intervals_of(&conf_tables[i], conf)->interval);
}
