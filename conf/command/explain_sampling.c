/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "conf/command/explain.h"
#include "conf/conf_keys.h"
#include "conf/conf_sampling.h"

/* What holds for a number of tasks. */
struct sampling {
    const char *kind;                       /* "scalar" or "mpi" */
    const char *action;                     /* "keep" all, "skip" all, "sample" */
    const struct conf_key *key;             /* that keeps or skips all; NULL: none */
    const struct conf_intervals *intervals; /* by which it is sampled; NULL: it is not */
    unsigned line;                          /* of the key or the first interval; 0: the default */
};

static struct sampling by_key(const struct explain *explain, const char *kind, const char *action,
                              const char *section, const char *name)
{
    int index = conf_key_find(section, name);
    return (struct sampling){kind, action, &conf_keys[index], NULL, explain->conf->key_line[index]};
}

static struct sampling sampling_of(const struct explain *explain, uint32_t ntasks)
{
    const struct conf *conf = explain->conf;
    const char *kind = ntasks > 1 ? "mpi" : "scalar";
    if (conf->track_programs == (ntasks > 1 ? CONF_PROGRAMS_SCALAR : CONF_PROGRAMS_MPI))
        return by_key(explain, kind, "skip", "tracking", "programs");
    if (!conf->sample)
        return by_key(explain, kind, "keep", CONF_SAMPLING_SECTION, "enabled");
    if (ntasks > 1 && ntasks >= conf->always_ranks)
        return by_key(explain, kind, "keep", CONF_SAMPLING_SECTION, "always_ranks");
    const struct conf_intervals *intervals =
        conf_table_intervals(conf_table_find(CONF_SAMPLING_SECTION, kind), conf);
    return (struct sampling){kind, "sample", NULL, intervals, intervals->interval[0].line};
}

/* "0.0001 below 15m, 0.01 below 30m, 1 above": conf_interval_print() gives "FROM PROBABILITY". */
static void print_intervals(const struct conf_intervals *intervals)
{
    char text[64], next[64] = "";
    for (size_t i = 0; i < intervals->count; i++) {
        conf_interval_print(&intervals->interval[i], text, sizeof text);
        printf("%s%s", i == 0 ? "" : ", ", strchr(text, ' ') + 1);
        if (i + 1 == intervals->count)
            break;
        conf_interval_print(&intervals->interval[i + 1], next, sizeof next);
        printf(" below %.*s", (int)strcspn(next, " "), next);
    }
    printf(intervals->count > 1 ? " above" : "");
}

void explain_sampling_print(const struct explain *explain, uint32_t ntasks)
{
    struct sampling sampling = sampling_of(explain, ntasks);
    printf("%" PRIu32 " task%s: %s", ntasks, ntasks == 1 ? "" : "s", sampling.action);
    if (sampling.key == NULL) {
        printf(", with a probability of ");
        print_intervals(sampling.intervals);
        printf(", by '%s' in [%s]", sampling.kind, CONF_SAMPLING_SECTION);
    } else {
        char value[64];
        conf_key_print(sampling.key, explain->conf, value, sizeof value);
        printf(", by '%s = %s' in [%s]", sampling.key->name, value, sampling.key->section);
    }
    if (sampling.line == 0)
        printf(" (default)\n");
    else
        printf(" (%s:%u)\n", explain->file, sampling.line);
}

static struct json_object *intervals_json(const struct conf_intervals *intervals)
{
    struct json_object *array = json_object_new_array();
    for (size_t i = 0; i < intervals->count; i++) {
        char text[32];
        double probability = conf_interval_compile(&intervals->interval[i]).probability;
        struct json_object *json = json_object_new_object();
        snprintf(text, sizeof text, "%.15g", probability);
        json_object_object_add(json, "from",
                               json_object_new_int64((int64_t)intervals->interval[i].from_s));
        json_object_object_add(json, "probability", json_object_new_double_s(probability, text));
        json_object_array_add(array, json);
    }
    return array;
}

struct json_object *explain_sampling_json(const struct explain *explain, uint32_t ntasks)
{
    struct sampling sampling = sampling_of(explain, ntasks);
    int in_file = sampling.line != 0;
    struct json_object *json = json_object_new_object();
    json_object_object_add(json, "section",
                           json_object_new_string(sampling.key == NULL ? CONF_SAMPLING_SECTION
                                                                       : sampling.key->section));
    json_object_object_add(json, "ntasks", json_object_new_int64(ntasks));
    json_object_object_add(json, "action", json_object_new_string(sampling.action));
    json_object_object_add(
        json, "key",
        json_object_new_string(sampling.key == NULL ? sampling.kind : sampling.key->name));
    json_object_object_add(json, "intervals",
                           sampling.key == NULL ? intervals_json(sampling.intervals) : NULL);
    json_object_object_add(json, "file", in_file ? json_object_new_string(explain->file) : NULL);
    json_object_object_add(json, "line", in_file ? json_object_new_int64(sampling.line) : NULL);
    return json;
}
