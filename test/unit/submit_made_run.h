/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A made-up run, and the record of it.
 */
#ifndef JOBTRAIL_SUBMIT_MADE_RUN_H
#define JOBTRAIL_SUBMIT_MADE_RUN_H

#include <json-c/json.h>
#include <stdint.h>

#include "run_record.h"

#define START  UINT64_C(1700000000123456789) /* Tue Nov 14 22:13:20 2023 UTC */
#define SECOND UINT64_C(1000000000)

/* A run, to be changed before it is built. */
struct made {
    struct conf conf;
    struct journal journal;
    struct journal_step step[3];
    struct capture capture;
    struct ending ending;
    uint64_t dropped;
    double probability;
    struct record record;
    struct json_object *json;
};

struct capture_bytes text(const char *string);

void make(struct made *made);

struct run_source source_of(const struct made *made);

/* Builds the record with parts that other records have left in the memo, and compares those with
 * the ones that were made for it alone. */
void assert_remembered(const struct run_source *source, struct json_memo *memo,
                       struct json_object *expected);

/* Builds `made->record` and parses it to `made->json`; release() releases both. */
void build(struct made *made);

void release(struct made *made);

struct json_object *get(const struct made *made, const char *table, const char *key);

/* Whether the value, as JSON, is this. */
void assert_value(const struct made *made, const char *table, const char *key,
                  const char *expected);

#endif
